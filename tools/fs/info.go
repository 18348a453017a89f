package fs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// InfoArgs are the arguments of get_file_info.
type InfoArgs struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
}

// FileInfo is the result of get_file_info. For a link with a target in the project, all members except Path and Type describe
// the target.
type FileInfo struct {
	Path string `json:"path"` // path with links in directories resolved; a link at its end is kept
	Type string `json:"type"` // file, directory or symlink
	// Target is the final path of a link, and TargetType its type.
	Target       string    `json:"target,omitempty"`
	TargetType   string    `json:"targetType,omitempty"`
	Size         int64     `json:"size"`                  // bytes that the system reports
	LastModified time.Time `json:"lastModified"`          // this and the other times: UTC, to the millisecond
	LastAccessed time.Time `json:"lastAccessed,omitzero"` // UTC; zero if the system does not record it
	Created      time.Time `json:"created,omitzero"`      // UTC; zero if the system does not record it, as on Linux
	Permissions  string    `json:"permissions"`           // for example rw-r--r--
	Mode         string    `json:"mode"`                  // Permissions in octal, for example 0644
	// number of entries in a directory, as list_directory counts them with includeHidden
	Entries *int `json:"entries,omitempty"`
	// as ReadResult.Encoding; detected from the file, or from a sample of a large file
	Encoding   string `json:"encoding,omitempty"`
	EOL        string `json:"eol,omitempty"`        // none, lf, crlf, cr or mixed
	BOM        bool   `json:"bom,omitempty"`        // whether the file begins with a byte-order mark
	TotalLines int    `json:"totalLines,omitempty"` // lines of a text file
	MIMEType   string `json:"mimeType,omitempty"`   // type of a binary file
	SHA256     string `json:"sha256,omitempty"`     // digest of the content, for expectedSha256
	Problem    string `json:"problem,omitempty"`    // the reason for missing members
	// Unsaved is the name of the editor whose unsaved text the members about the content describe.
	Unsaved string `json:"unsaved,omitempty"`
}

// Info implements get_file_info. It reads the content in bounded memory. It does not read the content of a file larger than 1
// GiB.
func (f *Files) Info(ctx context.Context, args InfoArgs) (FileInfo, error) {
	info, err := f.root.Lstat(ctx, args.Path)
	if err != nil {
		return FileInfo{}, wrapPath("describing", args.Path, err)
	}
	result := FileInfo{Path: info.Path, Type: info.Kind.String()}
	if info.Kind == security.Symlink {
		target, err := f.root.Stat(ctx, args.Path)
		if err != nil {
			result.set(info)
			result.Problem = "where the link leads to: " + string(security.CodeOf(err))
			return result, ctx.Err()
		}
		info, result.Target, result.TargetType = target, target.Path, target.Kind.String()
	}
	result.set(info)
	switch info.Kind {
	case security.Directory:
		err = f.countEntries(ctx, info.Path, &result)
	case security.RegularFile:
		err = f.inspect(ctx, info.Path, &result)
	}
	if err != nil && ctx.Err() != nil {
		return FileInfo{}, wrapPath("describing", args.Path, err)
	}
	if err != nil { // the known members are returned in spite of the error
		result.Problem = "what is in it: " + string(security.CodeOf(err))
	}
	return result, nil
}

// set sets the members that the system reports without opening the file.
func (r *FileInfo) set(info security.FileInfo) {
	accessed, created := info.Times()
	r.Size, r.LastModified, r.LastAccessed, r.Created = info.Size, toMillisecond(info.ModTime), toMillisecond(accessed), toMillisecond(created)
	r.Unsaved = info.Unsaved
	r.Permissions, r.Mode = info.Mode.Perm().String()[1:], fmt.Sprintf("%04o", info.Mode.Perm())
}

// toMillisecond returns t in UTC, truncated to the millisecond.
func toMillisecond(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// countEntries sets the number of entries of a directory.
func (f *Files) countEntries(ctx context.Context, path string, result *FileInfo) error {
	dir, err := f.root.OpenDir(ctx, path)
	if err != nil {
		return err
	}
	defer dir.Close()
	n := 0
	for {
		some, err := dir.Next(ctx, 512)
		if errors.Is(err, io.EOF) {
			result.Entries = &n
			return nil
		}
		if err != nil {
			return err
		}
		n += len(some)
	}
}

// TextContent returns the text for the model: one line for each known member.
func (r FileInfo) TextContent() string {
	var b strings.Builder
	kind := r.Type
	if r.Target != "" {
		kind = "link to the " + r.TargetType + " " + r.Target
	}
	fmt.Fprintf(&b, "[%s: %s]\n", r.Path, kind)
	line := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + value + "\n")
		}
	}
	if r.Entries != nil {
		line("entries", number(int64(*r.Entries)))
	} else {
		size := plural.Count(r.Size, "byte")
		if r.Unsaved != "" {
			size += ", " + unsavedIn(r.Unsaved)
		}
		line("size", size)
	}
	for _, t := range []struct {
		name string
		at   time.Time
	}{{"modified", r.LastModified}, {"accessed", r.LastAccessed}, {"created", r.Created}} {
		if !t.at.IsZero() {
			line(t.name, t.at.Format(time.RFC3339))
		}
	}
	line("permissions", r.Permissions+" ("+r.Mode+")")
	encoding := r.Encoding
	if r.BOM {
		encoding += " with BOM"
	}
	line("encoding", encoding)
	line("type of content", r.MIMEType)
	line("line ends", r.EOL)
	if r.EOL != "" {
		line("lines", number(int64(r.TotalLines)))
	}
	line("sha256", security.ShortSHA256(r.SHA256))
	line("not known", r.Problem)
	return b.String()
}
