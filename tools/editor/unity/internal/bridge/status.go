package bridge

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
)

const (
	statusPrefix = "unity-mcp-status-"
	statusSuffix = ".json"
	maxStatus    = 64 << 10 // bytes of a status file
	maxEditors   = 32       // that are looked at
	maxFiles     = 1000     // of the directory
	// fresh is how old a heartbeat is of an editor that is there without doubt. It comes every half second, but not while the main
	// thread is at something.
	fresh = 30 * time.Second
	// reloadsFor is how long an editor may reload without a heartbeat.
	reloadsFor = time.Minute
)

// Editor is a Unity editor as its status file tells.
type Editor struct {
	Hash      string // of the project, in the name of the file
	Project   string // its directory, with every link resolved
	Name      string
	Version   string // of Unity
	Port      int
	Reloading bool
	Reason    string // "ready", "reloading", "port_busy", "stopped", …
	Heartbeat time.Time
}

// Dir is where status files are: dir if it is not empty, $UNITY_MCP_STATUS_DIR, or .unity-mcp in the home directory.
func Dir(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	if dir := strings.TrimSpace(os.Getenv("UNITY_MCP_STATUS_DIR")); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the status files of Unity: %w", err)
	}
	return filepath.Join(home, ".unity-mcp"), nil
}

// editors reads the status files of a directory, the newest heartbeat first. Files that are none are left out.
func editors(dir string) []Editor {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxFiles)
	var all []Editor
	for _, name := range names {
		hash, ok := strings.CutPrefix(name, statusPrefix)
		if hash, ok2 := strings.CutSuffix(hash, statusSuffix); ok && ok2 {
			if e, err := readStatus(dir, hash); err == nil {
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b Editor) int {
		if c := b.Heartbeat.Compare(a.Heartbeat); c != 0 {
			return c
		}
		return strings.Compare(a.Hash, b.Hash)
	})
	return all[:min(len(all), maxEditors)]
}

// readStatus reads the status file of a project.
func readStatus(dir, hash string) (Editor, error) {
	fail := func(err error) (Editor, error) {
		return Editor{}, fmt.Errorf("reading the status file of Unity: %w", err)
	}
	name := filepath.Join(dir, statusPrefix+hash+statusSuffix)
	info, err := os.Lstat(name)
	if err != nil {
		return fail(err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxStatus {
		return fail(errors.New("it is no ordinary small file"))
	}
	f, err := os.Open(name)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxStatus))
	if err != nil {
		return fail(err)
	}
	var status struct {
		Port      int    `json:"unity_port"`
		Reloading bool   `json:"reloading"`
		Reason    string `json:"reason"`
		Path      string `json:"project_path"` // of the directory Assets
		Version   string `json:"unity_version"`
		Heartbeat string `json:"last_heartbeat"`
	}
	if err := json.Unmarshal(data, &status); err != nil {
		return fail(err)
	}
	if Hash(status.Path) != hash {
		return fail(errors.New("its name is not that of its project"))
	}
	if status.Port < 1 || status.Port > 65535 {
		return fail(fmt.Errorf("%d is no port", status.Port))
	}
	project, err := projectOf(status.Path)
	if err != nil {
		return fail(err)
	}
	e := Editor{
		Hash: hash, Project: project, Name: truncate.Line(filepath.Base(project), 100), Version: truncate.Line(status.Version, 40),
		Port: status.Port, Reloading: status.Reloading, Reason: truncate.Line(status.Reason, 40), Heartbeat: info.ModTime(),
	}
	if told, err := time.Parse(time.RFC3339Nano, status.Heartbeat); err == nil && told.Before(e.Heartbeat) {
		e.Heartbeat = told
	}
	return e, nil
}

// Hash is the name of a project in the names of files: the beginning of the SHA-1 of the path of its directory Assets, as Unity writes it.
func Hash(assets string) string {
	sum := sha1.Sum([]byte(assets))
	return hex.EncodeToString(sum[:])[:8]
}

// projectOf is the directory of a project, from that of its Assets.
func projectOf(assets string) (string, error) {
	slashed := strings.TrimRight(strings.ReplaceAll(assets, "\\", "/"), "/")
	if len(assets) > 4096 || strings.ContainsRune(assets, 0) || !strings.EqualFold(path.Base(slashed), "Assets") {
		return "", fmt.Errorf("%.100q is no directory Assets", assets)
	}
	dir := filepath.FromSlash(path.Dir(slashed))
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("%.100q is no absolute path", assets)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	return real, nil
}

// doubtful tells whether the editor may be gone although its file is there.
func (e Editor) doubtful(now time.Time) bool {
	age := now.Sub(e.Heartbeat)
	if e.Reloading {
		return age > reloadsFor
	}
	return age > fresh
}
