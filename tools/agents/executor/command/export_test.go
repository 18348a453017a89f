package command

// Lines splits a stream into lines, in parts of size bytes.
func Lines(stream []byte, size int, most int64) (all []string, dropped []int64) {
	l := lines{
		most:    most,
		line:    func(text []byte) { all = append(all, string(text)) },
		dropped: func(_ []byte, n int64) { dropped = append(dropped, n) },
	}
	for len(stream) > 0 {
		n := min(size, len(stream))
		l.write(stream[:n])
		stream = stream[n:]
	}
	l.close()
	return all, dropped
}

// Printable calls printable.
func Printable(text string, most int) string { return printable([]byte(text), most) }

const WholeLine, ShownLine = wholeLine, shownLine
