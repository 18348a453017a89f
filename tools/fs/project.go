package fs

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/glob"
)

// ProjectInfoArgs are the arguments of get_project_info: none.
type ProjectInfoArgs struct{}

// ProjectInfo is what get_project_info answers.
type ProjectInfo struct {
	Name     string         `json:"name"`     // Project.Name, or that of the root directory
	RootPath string         `json:"rootPath"` // absolute, with slashes
	Settings map[string]any `json:"settings"` // Project.Settings
	// Language is the one that most source files are in, those that a manifest at the top speaks for counting thrice; empty if
	// there are none.
	Language string `json:"language"`
	// Framework is what the manifests say the project is built on, such as Next.js or Django.
	Framework string `json:"framework,omitempty"`
	// Roots are the directories that may be used, RootPath first; the others are reached by absolute paths.
	Roots    []string      `json:"roots"`
	ReadOnly bool          `json:"readOnly"` // nothing can be changed
	Limits   ProjectLimits `json:"limits"`
	Toolsets []string      `json:"toolsets"` // Project.Toolsets
	// GitBranch is what .git/HEAD says, also for a work tree whose repository lies inside the project: a branch, or the beginning of a
	// commit.
	GitBranch string `json:"gitBranch,omitempty"`
}

// ProjectLimits are the limits of the tools, in bytes; see tools.Limits.
type ProjectLimits struct {
	Answer    int   `json:"answer"`
	MaxAnswer int   `json:"maxAnswer"`
	MaxFile   int64 `json:"maxFile"`
}

// ProjectInfo is get_project_info. It looks at no more than 200,000 entries and a few manifests, those near the top.
func (f *Files) ProjectInfo(ctx context.Context, _ ProjectInfoArgs) (ProjectInfo, error) {
	s := &survey{languages: map[string]int{}}
	searching, done := hurry(ctx)
	defer done()
	stats, _, err := f.walkChosen(searching, ".", &glob.List{}, security.WalkOptions{MaxEntries: maxVisited}, s.visit)
	if err != nil && (stats.Entries == 0 || !outOfTime(searching)) {
		return ProjectInfo{}, err
	}
	manifests := s.first()
	info := ProjectInfo{
		Name: f.options.Project.Name, RootPath: f.rootPath(), Settings: f.options.Project.Settings,
		Language: s.language(manifests), ReadOnly: f.root.ReadOnly(), Toolsets: f.options.Project.Toolsets,
		Limits:    ProjectLimits{Answer: f.limits.Answer, MaxAnswer: f.limits.MaxAnswer, MaxFile: f.limits.MaxFile},
		GitBranch: f.gitBranch(ctx),
	}
	info.Framework = f.framework(ctx, manifests, info.Language)
	if info.Name == "" {
		info.Name = path.Base(info.RootPath)
	}
	if info.Settings == nil {
		info.Settings = map[string]any{}
	}
	for _, dir := range f.root.Dirs() {
		info.Roots = append(info.Roots, slashed(dir))
	}
	return info, nil
}

// TextContent is what a model reads: a line for each thing that is known.
func (p ProjectInfo) TextContent() string {
	var b strings.Builder
	line := func(what, value string) {
		if value != "" {
			b.WriteString(what + ": " + value + "\n")
		}
	}
	line("project", p.Name)
	line("root", p.RootPath)
	for _, root := range p.Roots[min(1, len(p.Roots)):] {
		line("also", root)
	}
	line("language", p.Language)
	line("framework", p.Framework)
	line("git branch", p.GitBranch)
	if p.ReadOnly {
		line("access", "read-only")
	}
	line("toolsets", strings.Join(p.Toolsets, ", "))
	line("limits", "answers of "+count(int64(p.Limits.Answer), "byte")+", or up to "+number(int64(p.Limits.MaxAnswer))+
		" where a call can ask for more; files of "+number(p.Limits.MaxFile))
	if settings, err := json.Marshal(p.Settings); err == nil && len(p.Settings) > 0 {
		line("settings", string(settings))
	}
	return b.String()
}

// survey is what a walk tells about a project.
type survey struct {
	mu        sync.Mutex
	languages map[string]int // files
	manifests []manifest
}

// visit counts a file.
func (s *survey) visit(e *security.WalkEntry) error {
	if e.Kind != security.RegularFile {
		return nil
	}
	language, kind := languageOf(e.Name), kindOfManifest(e.Name)
	if language == "" && kind == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if language != "" {
		s.languages[language]++
	}
	if kind != nil && e.Depth <= maxManifestDepth {
		s.manifests = append(s.manifests, manifest{path: e.Path(), depth: e.Depth, kind: kind})
		if len(s.manifests) >= 2*maxManifests {
			s.first()
		}
	}
	return nil
}
