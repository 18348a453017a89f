package index

// SnapshotOf returns a Snapshot that contains only f.
func SnapshotOf(f *File) *Snapshot {
	return new(Snapshot).merged([]*File{f}, nil)
}
