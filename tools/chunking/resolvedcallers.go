package chunking

import (
	"context"
	"slices"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/uses"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/source"
)

// indexedFiles is a uses.Project: the files of a Snapshot, with their current texts.
type indexedFiles struct {
	root     *security.Root
	snapshot *index.Snapshot
}

// Files implements uses.Project.
func (p indexedFiles) Files(languages ...source.Language) []string {
	var paths []string
	for _, f := range p.snapshot.Files() {
		if slices.Contains(languages, f.Language) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// ReadFile implements uses.Project.
func (p indexedFiles) ReadFile(ctx context.Context, path string) ([]byte, error) {
	f, err := p.root.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadAll(ctx, nil, source.MaxSource)
}

// finder returns a Finder for the current files. It is for one call of a tool, because a
// file can change without the index.
func (c *Chunks) finder() *uses.Finder {
	return uses.NewFinder(indexedFiles{c.root, c.index.Snapshot()})
}

// gaps are the reasons why resolved callers can be missing.
type gaps struct {
	unread     int // files
	cut        int // searches with more than maxPlaces uses
	values     int // uses that store a function or pass it on
	quoted     int // strings that are the name of a function
	unfollowed int // other names of a function
}

// gapsOf returns the gaps of one search.
func gapsOf(found uses.Result) gaps {
	g := gaps{unread: len(found.Unread), quoted: found.Quoted, unfollowed: found.Unfollowed}
	if len(found.Uses) > maxPlaces {
		g.cut = 1
	}
	for _, u := range found.Uses {
		if u.Value {
			g.values++
		}
	}
	return g
}

// add adds the gaps of another search in the same files.
func (g *gaps) add(other gaps) {
	g.unread = max(g.unread, other.unread)
	g.cut += other.cut
	g.values += other.values
	g.quoted += other.quoted
	g.unfollowed += other.unfollowed
}

// notes describes the gaps.
func (g gaps) notes() []string {
	var notes []string
	if g.cut > 0 {
		notes = append(notes, "only the first "+number(maxPlaces)+" uses were looked at")
	}
	if g.unread > 0 {
		notes = append(notes, plural.Count(g.unread, "file")+" could not be read")
	}
	if g.values > 0 {
		notes = append(notes, "not followed: calls of the value that "+plural.Count(g.values, "use")+" store or pass on")
	}
	if g.quoted > 0 {
		notes = append(notes, "not followed: calls by name, as in getattr; "+plural.Count(g.quoted, "string")+" in brackets equal the name")
	}
	if g.unfollowed > 0 {
		notes = append(notes, "not followed: "+plural.Count(g.unfollowed, "other name")+", because there are too many")
	}
	return notes
}

// resolvedCallers finds the callers of a chunk by the types and imports of the project.
func (c *Chunks) resolvedCallers(ctx context.Context, finder *uses.Finder, of chunk) (CallersResult, error) {
	r := CallersResult{Callers: []Caller{}, resolved: true}
	found, err := finder.Find(ctx, uses.Declaration{Path: of.Path, Name: of.get().Name, Offset: int(of.get().Ident), Language: of.Language})
	if err != nil {
		return r, err
	}
	if missing := c.missing(); missing != "" {
		r.Notes = append(r.Notes, missing)
	}
	r.gaps = gapsOf(found)
	if len(found.Uses) > maxPlaces {
		found.Uses = found.Uses[:maxPlaces]
	}
	for len(found.Uses) > 0 {
		path := found.Uses[0].Path
		end := slices.IndexFunc(found.Uses, func(u uses.Use) bool { return u.Path != path })
		if end < 0 {
			end = len(found.Uses)
		}
		s, err := c.open(ctx, path, "")
		switch {
		case ctx.Err() != nil:
			return r, context.Cause(ctx)
		case err != nil:
			r.gaps.unread++
		default:
			r.addUses(s, found.Uses[:end])
		}
		found.Uses = found.Uses[end:]
	}
	r.Notes = append(r.Notes, r.gaps.notes()...)
	if found.Others > 0 {
		r.Notes = append(r.Notes, plural.Count(found.Others, "use")+" of the name with another target left out")
	}
	return r, nil
}

// addUses groups the uses in one file by the chunks that contain them.
func (r *CallersResult) addUses(s *parsedFile, found []uses.Use) {
	type key struct {
		id        string
		certainty uses.Certainty
	}
	at := make(map[key]int)
	for _, u := range found {
		in := s.around(int32(u.Offset))
		if in < 0 && slices.ContainsFunc(s.imports, func(i source.Import) bool { return i.Line == u.Line }) {
			continue
		}
		k := key{certainty: u.Certainty}
		if in >= 0 {
			k.id = s.ID(in)
		}
		i, ok := at[k]
		if !ok {
			i = len(r.Callers)
			at[k] = i
			caller := Caller{ID: k.id, FilePath: s.Path}
			switch u.Certainty {
			case uses.Resolved:
				caller.Source, caller.rank = sourceResolved, rankResolved
			case uses.Possible:
				caller.Source, caller.rank = sourcePossible, rankPossible
			default:
				caller.Source = sourceName
			}
			r.Callers = append(r.Callers, caller)
		}
		if lines := r.Callers[i].Lines; len(lines) == 0 || lines[len(lines)-1] != u.Line {
			r.Callers[i].Lines = append(lines, u.Line)
		}
	}
}
