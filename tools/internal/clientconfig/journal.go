package clientconfig

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// record is a change that can be undone.
type record struct {
	Program string    `json:"program"`        // Installer.Program
	Client  string    `json:"client"`         // Client.Name
	Name    string    `json:"name"`           // of the entry
	Time    time.Time `json:"time"`           // of the change
	File    string    `json:"file"`           // after all symbolic links
	Existed bool      `json:"existed"`        // the file existed before the change
	Dirs    []string  `json:"dirs,omitempty"` // directories made for it, outermost first
	Server  Server    `json:"server"`         // the added server
	Before  []byte    `json:"before"`         // the previous content
	After   string    `json:"after"`          // SHA-256 of the new content

	path string // of the record
}

// maxRecords is the number of changes that can be undone; older records are removed.
const maxRecords = 50

// maxRecord is the maximum size of a record in bytes: a file in Base64.
const maxRecord = maxSize*4/3 + 1<<20

// digest returns the SHA-256 of a content in hexadecimal form.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// journal stores records in a directory, as numbered files.
type journal struct{ dir string }

// add writes a record. It is called before the change is made.
func (j journal) add(r record) (path string, err error) {
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return "", fmt.Errorf("making the directory of undo records: %w", err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	numbers, err := j.numbers()
	if err != nil {
		return "", err
	}
	next := 1
	if len(numbers) > 0 {
		next = numbers[len(numbers)-1] + 1
	}
	for ; ; next++ { // another process may take the same number
		path = j.path(next)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			_, err = f.Write(text)
			err = errors.Join(err, f.Sync(), f.Close())
		}
		if err != nil {
			os.Remove(path)
			return "", fmt.Errorf("recording how to undo the change: %w", err)
		}
		for i := 0; i < len(numbers)+1-maxRecords; i++ {
			os.Remove(j.path(numbers[i]))
		}
		return path, nil
	}
}

// records returns the records of a program for a file, newest first. Unreadable files are ignored.
func (j journal) records(program, file string) ([]record, error) {
	numbers, err := j.numbers()
	if err != nil {
		return nil, err
	}
	var all []record
	for _, number := range slices.Backward(numbers) {
		path := j.path(number)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxRecord {
			continue
		}
		text, err := os.ReadFile(path)
		r := record{path: path}
		if err == nil && json.Unmarshal(text, &r) == nil && r.Program == program && r.File == file {
			all = append(all, r)
		}
	}
	return all, nil
}

// path returns the path of a record's file.
func (j journal) path(number int) string {
	return filepath.Join(j.dir, fmt.Sprintf("%06d.json", number))
}

// numbers returns the numbers of the records in ascending order.
func (j journal) numbers() ([]int, error) {
	entries, err := os.ReadDir(j.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for undo records: %w", err)
	}
	var numbers []int
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), ".json")
		if number, err := strconv.Atoi(name); ok && err == nil && number > 0 {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}
