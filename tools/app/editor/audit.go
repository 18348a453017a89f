package editor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/security/audit"
)

// openAudit opens the log of operations. Without a file it is in memory alone, and also if
// the default file cannot be written or is not to be. A file that was named must work.
func (s *service) openAudit(onDisk bool, log *slog.Logger) (*audit.Log, error) {
	if s.config.LogPath == noLog || !onDisk {
		return audit.Open(audit.Options{})
	}
	if s.config.LogPath != defaultLog {
		return openAuditFile(s.config.ProjectRoot, s.config.LogPath)
	}
	file, err := openDefaultAudit(s.config.ProjectRoot)
	if !errors.Is(err, errForeignLog) && !errors.Is(err, errNoProject) && !errors.Is(err, os.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return file, err
	}
	log.Warn("the audit log cannot be written, so operations are not recorded on disk; -audit names another file", "file", s.config.LogPath, "error", err)
	return audit.Open(audit.Options{})
}

// Errors of openDefaultAudit.
var (
	errForeignLog = errors.New("the file there is a log of another program")
	errNoProject  = errors.New("the directory is no project")
)

// openDefaultAudit opens the log in defaultLog, and keeps it out of git by a .gitignore beside it unless there is one. It
// leaves the log of another program as it is, and makes no file in a home directory.
func openDefaultAudit(project string) (*audit.Log, error) {
	if !projectfile.Accepts(project) {
		return nil, errNoProject
	}
	if err := checkOwnLog(project); err != nil {
		return nil, err
	}
	file, err := openAuditFile(project, defaultLog)
	if err != nil {
		return nil, err
	}
	if err := ignoreLog(project); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// checkOwnLog returns errForeignLog if the first line of defaultLog is no record of an audit log.
func checkOwnLog(project string) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return fmt.Errorf("opening the project: %w", err)
	}
	defer root.Close()
	if info, err := root.Lstat(defaultLog); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // openAuditFile makes it, or refuses it
	}
	f, err := root.Open(defaultLog)
	if err != nil {
		return fmt.Errorf("opening the audit log: %w", err)
	}
	defer f.Close()
	var first audit.Record
	if json.NewDecoder(io.LimitReader(f, 64<<10)).Decode(&first) != nil || first.ID == "" || first.Operation == "" {
		return errForeignLog
	}
	return nil
}

// ignoreLog makes the .gitignore beside defaultLog. It names the log alone, since the directory may be the user's.
func ignoreLog(project string) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return fmt.Errorf("opening the project: %w", err)
	}
	defer root.Close()
	name := filepath.Base(defaultLog)
	f, err := root.OpenFile(filepath.Join(filepath.Dir(defaultLog), projectfile.Gitignore), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("keeping the audit log out of git: %w", err)
	}
	_, err = f.WriteString(projectfile.GitignoreContent(name, name+".[0-9]*"))
	return errors.Join(err, f.Close())
}

// openAuditFile opens the log in a file, which is absolute or relative to the project.
func openAuditFile(project, path string) (*audit.Log, error) {
	if !filepath.IsAbs(path) {
		var err error
		if path, err = inProject(project, path); err != nil {
			return nil, err
		}
	}
	return audit.Open(audit.Options{Path: path})
}

// inProject is the path of a file that is named relative to the project, with its
// directory made. A link in the project does not lead it elsewhere.
func inProject(project, name string) (string, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return "", fmt.Errorf("opening the project: %w", err)
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", fmt.Errorf("making the directory of the audit log: %w; choose another file with -audit", err)
	}
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("the audit log %s is no ordinary file; choose another with -audit", name)
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(project, filepath.Dir(name)))
	if err != nil {
		return "", fmt.Errorf("finding the directory of the audit log: %w", err)
	}
	return filepath.Join(dir, filepath.Base(name)), nil
}
