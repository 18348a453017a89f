package pack

import "hash/crc32"

// sliceWriter appends written bytes to a slice.
type sliceWriter []byte

// Write implements io.Writer.
func (s *sliceWriter) Write(p []byte) (int, error) {
	*s = append(*s, p...)
	return len(p), nil
}

func checksum(content []byte) uint32 { return crc32.ChecksumIEEE(content) }
