package fs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
)

// InfoArgs are the arguments of get_file_info.
type InfoArgs struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
}

// FileInfo is what get_file_info answers. Of a link that leads to something in the project, everything but Path and Type is about
// that.
type FileInfo struct {
	Path string `json:"path"` // links in directories resolved, one at the end not
	Type string `json:"type"` // file, directory or symlink
	// Target is the path that a link leads to in the end, and TargetType what is there.
	Target       string    `json:"target,omitempty"`
	TargetType   string    `json:"targetType,omitempty"`
	Size         int64     `json:"size"`                  // in bytes, as the system says
	LastModified time.Time `json:"lastModified"`          // this and the other times: UTC, to the millisecond
	LastAccessed time.Time `json:"lastAccessed,omitzero"` // where the system tells
	Created      time.Time `json:"created,omitzero"`      // where the system tells; Linux does not
	Permissions  string    `json:"permissions"`           // such as rw-r--r--
	Mode         string    `json:"mode"`                  // the same in octal, such as 0644
	Entries      *int      `json:"entries,omitempty"`     // in a directory, as list_directory counts them with includeHidden
	Encoding     string    `json:"encoding,omitempty"`    // as ReadResult.Encoding, by the whole file or its first characters that tell
	EOL          string    `json:"eol,omitempty"`         // none, lf, crlf, cr or mixed
	BOM          bool      `json:"bom,omitempty"`         // whether the file begins with a byte-order mark
	TotalLines   int       `json:"totalLines,omitempty"`  // of text
	MIMEType     string    `json:"mimeType,omitempty"`    // of what is no text
	SHA256       string    `json:"sha256,omitempty"`      // of the content, for expectedSha256
	Problem      string    `json:"problem,omitempty"`     // why something is missing here
}

// Info is get_file_info. The content is read in bounded memory; that of a file larger than 1 GiB is not read.
func (f *Files) Info(ctx context.Context, args InfoArgs) (FileInfo, error) {
	info, err := f.root.Lstat(ctx, args.Path)
	if err != nil {
		return FileInfo{}, about("describing", args.Path, err)
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
		return FileInfo{}, about("describing", args.Path, err)
	}
	if err != nil { // what is known all the same is better than nothing
		result.Problem = "what is in it: " + string(security.CodeOf(err))
	}
	return result, nil
}

// set fills in what needs no opening.
func (r *FileInfo) set(info security.FileInfo) {
	accessed, created := info.Times()
	r.Size, r.LastModified, r.LastAccessed, r.Created = info.Size, toMillisecond(info.ModTime), toMillisecond(accessed), toMillisecond(created)
	r.Permissions, r.Mode = info.Mode.Perm().String()[1:], fmt.Sprintf("%04o", info.Mode.Perm())
}

func toMillisecond(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

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

// TextContent is what a model reads.
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
		line("size", count(r.Size, "byte"))
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
	line("sha256", r.SHA256)
	line("not known", r.Problem)
	return b.String()
}
