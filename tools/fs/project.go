package fs

import (
	"context"
	"path"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/glob"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// ProjectInfoArgs are the arguments of get_project_info. There are none.
type ProjectInfoArgs struct{}

// ProjectInfo is the result of get_project_info.
type ProjectInfo struct {
	Name     string         `json:"name"`     // Project.Name, or the name of the root directory
	RootPath string         `json:"rootPath"` // absolute, with slashes
	Settings map[string]any `json:"settings"` // Project.Settings
	// Language is the language with the most source files. Files of a language with a manifest in the root directory count
	// threefold. It is empty without source files and manifests.
	Language string `json:"language"`
	// Framework is the framework that a manifest requires, for example Next.js or Django.
	Framework string `json:"framework,omitempty"`
	// Roots are the usable directories. RootPath is the first; the others need absolute paths.
	Roots    []string      `json:"roots"`
	ReadOnly bool          `json:"readOnly"` // the Root refuses every change
	Limits   ProjectLimits `json:"limits"`
	Toolsets []string      `json:"toolsets"` // Project.Toolsets
	// GitBranch is the branch in .git/HEAD, or the beginning of a commit. For a worktree, the repository must be inside the
	// project.
	GitBranch string `json:"gitBranch,omitempty"`
}

// ProjectLimits are the limits of the tools in bytes; see tools.Limits.
type ProjectLimits struct {
	Answer    int   `json:"answer"`    // usual budget of an answer
	MaxAnswer int   `json:"maxAnswer"` // largest budget that a call can ask for
	MaxFile   int64 `json:"maxFile"`   // largest file that is held in memory
}

// ProjectInfo implements get_project_info. It visits at most 200,000 entries and reads at most 24 manifests, those nearest to
// the root.
func (f *Files) ProjectInfo(ctx context.Context, _ ProjectInfoArgs) (ProjectInfo, error) {
	s := &projectScan{languages: map[string]int{}}
	searching, done := shortenDeadline(ctx)
	defer done()
	stats, _, err := f.walkChosen(searching, ".", &glob.List{}, security.WalkOptions{MaxEntries: maxVisited}, s.visit)
	if err != nil && (stats.Entries == 0 || !deadlinePassed(searching)) {
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

// TextContent returns the text for the model: one line for each known member but Settings, which no call depends on.
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
	line("limits", "answers of "+plural.Count(int64(p.Limits.Answer), "byte")+", or up to "+number(int64(p.Limits.MaxAnswer))+
		" where a call can ask for more; files of "+number(p.Limits.MaxFile))
	return b.String()
}

// projectScan collects the languages and manifests of a project. visit is safe for concurrent use.
type projectScan struct {
	mu        sync.Mutex
	languages map[string]int // number of files by language
	manifests []manifest
}

// visit counts a file of a walk.
func (s *projectScan) visit(e *security.WalkEntry) error {
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
