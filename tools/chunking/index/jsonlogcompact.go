package index

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"os"
)

// span is a part of a file: offset and size in bytes.
type span struct{ at, size int64 }

// compactLog rewrites the log with only the last line of each path. It reads without a
// lock, and locks only to append the lines written meanwhile and to replace the log.
func (s *JSONStore) compactLog() error {
	f, before, d, err := s.openLog()
	if err != nil {
		return err
	}
	defer f.Close()
	kept, end, err := lastLines(io.NewSectionReader(f, 0, before.Size()))
	for _, part := range kept {
		if err == nil {
			_, err = io.Copy(d.file, io.NewSectionReader(f, part.at, part.size))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || s.dir == nil {
		return d.drop(err)
	}
	return s.locked(context.Background(), func() error {
		now, info, err := openRegular(s.dir, logName, os.O_RDONLY)
		if err != nil {
			return d.drop(err)
		}
		defer now.Close()
		if !os.SameFile(before, info) || info.Size() < end {
			return d.drop(nil) // another process was faster
		}
		_, err = io.Copy(d.file, io.NewSectionReader(now, end, info.Size()-end))
		return d.place(logName, err)
	})
}

// openLog opens the current log and a draft for its replacement.
func (s *JSONStore) openLog() (*os.File, os.FileInfo, *draft, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == nil {
		return nil, nil, nil, fs.ErrNotExist
	}
	f, info, err := openRegular(s.dir, logName, os.O_RDONLY)
	if err != nil {
		return nil, nil, nil, err
	}
	d, err := s.draft()
	if err != nil {
		f.Close()
		return nil, nil, nil, err
	}
	return f, info, d, nil
}

// drop closes and removes an unused draft. It returns err.
func (d *draft) drop(err error) error {
	d.file.Close()
	if d.store.dir != nil {
		_ = d.store.dir.Remove(d.name) // it is swept later if that fails
	}
	return err
}

// lastLines returns the spans of the last line of each path, without removed paths. end
// is the offset after the last complete line.
func lastLines(text io.Reader) (kept []span, end int64, err error) {
	lines := bufio.NewReaderSize(text, logPart)
	last := map[string]int{}
	for {
		line, err := lines.ReadSlice('\n')
		size := int64(len(line))
		path, rest, ok := linePath(line)
		gone := ok && len(rest) == len(lineRemoved)+1 && string(rest[:len(lineRemoved)]) == string(lineRemoved)
		for err == bufio.ErrBufferFull {
			line, err = lines.ReadSlice('\n')
			size += int64(len(line))
		}
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return joined(kept), end, err
		}
		if at, again := last[path]; again && ok {
			kept[at].size = 0
		}
		if ok && !gone {
			last[path] = len(kept)
			kept = append(kept, span{end, size})
		}
		end += size
	}
}

// joined drops empty spans and joins adjacent ones.
func joined(all []span) []span {
	kept := all[:0]
	for _, part := range all {
		if n := len(kept); n > 0 && kept[n-1].at+kept[n-1].size == part.at {
			kept[n-1].size += part.size
		} else if part.size > 0 {
			kept = append(kept, part)
		}
	}
	return kept
}
