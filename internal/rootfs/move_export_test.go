package rootfs

// Respelled is the place that a file system without regard for case would find for another spelling of the name of an entry.
func Respelled(p *Place, name string) *Place {
	dir, _ := split(p.Path)
	return &Place{Path: join(dir, name), Name: name, Info: p.Info, dir: p.dir, dirPath: p.dirPath}
}
