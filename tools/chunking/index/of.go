package index

// Of is a Snapshot of a single file, to search in it alone.
func Of(f *File) *Snapshot {
	return new(Snapshot).merged([]*File{f}, nil)
}
