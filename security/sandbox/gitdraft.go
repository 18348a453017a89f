package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

const (
	// configName is the configuration of a repository, relative to the work tree.
	configName = ".git/config"
	// draftsInside is the directory inside that holds the drafts of a command.
	draftsInside = "/.dougu-git"
)

// draft is a copy of the configuration of a repository that one command can change. In the sandbox the configuration is a link to it,
// since git makes a new file beside the target of a link and renames that. Harmless changes are brought into the configuration when the
// command has ended: git push -u, git remote add and git config user.name work, and nothing else changes what git runs outside.
type draft struct {
	project string
	dir     string // holds the copy, under the name config
	base    []byte // the configuration as it is outside, as far as this program knows
	seen    []byte // the copy as it was at the last look
}

// Wrap is [Sandbox.Wrap] for the command of this Protection. With namespaces, the command can change the configurations of the
// repositories of the project as far as Refuse allows.
func (p *Protection) Wrap(cmd *exec.Cmd) error {
	if p == nil || !p.sandbox.Active() {
		return nil
	}
	var steps []mount
	if p.find != nil && p.sandbox.status.Kind == Namespaces {
		steps = p.makeDrafts()
	}
	return p.sandbox.wrapWith(cmd, steps)
}

// Close removes the files of the Protection. Its command has ended.
func (p *Protection) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.drafts {
		_ = os.RemoveAll(d.dir) // else Sandbox.Close removes it
	}
	p.drafts = nil
}

// makeDrafts makes a draft for each repository at the top of a directory of the project, and returns the steps that put it in place. A
// configuration of which no draft can be made can only be read.
func (p *Protection) makeDrafts() (steps []mount) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, project := range p.sandbox.options.Dirs {
		units := p.former[project]
		if u := units[configName]; u == nil || u.files[""].data == nil || !isPlain(project, filepath.Join(project, configName)) {
			continue
		}
		dir, err := os.MkdirTemp(p.sandbox.plans(), "git-")
		if err != nil {
			continue
		}
		text := units[configName].files[""].data
		if err := os.WriteFile(filepath.Join(dir, "config"), text, 0o600); err != nil {
			continue
		}
		inside := draftsInside + "/" + strconv.Itoa(len(p.drafts))
		p.drafts = append(p.drafts, &draft{project, dir, text, text})
		steps = append(steps, mount{bind, dir, inside}, mount{link, inside + "/config", inside + ".link"},
			mount{overLink, inside + ".link", filepath.Join(project, configName)})
	}
	return steps
}

// adopt brings the harmless changes of the drafts into the configurations. The error says which changes were not kept, and why.
func (p *Protection) adopt() error {
	var failed []error
	for _, d := range p.drafts {
		if err := d.adopt(); err != nil {
			failed = append(failed, fmt.Errorf("changes of %s by the command were not kept: %w", filepath.Join(d.project, configName), err))
		}
	}
	return errors.Join(failed...)
}

func (d *draft) adopt() error {
	now, err := readDraft(d.dir)
	if err != nil || bytes.Equal(now, d.seen) {
		return err
	}
	d.seen = now
	if !isHarmlessConfig(d.base, now, false) {
		return errors.New("commands can change branches, remotes and the name of the user alone")
	}
	root, err := os.OpenRoot(d.project)
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(configName)
	if err != nil {
		return err
	}
	switch is, err := root.ReadFile(configName); {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || !bytes.Equal(is, d.base):
		return errors.New("another program has changed the file meanwhile")
	}
	const lock = configName + ".lock" // as git locks it
	if err := writeNew(root, lock, now, info.Mode().Perm()); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			err = errors.Join(err, root.Remove(lock))
		}
		return err
	}
	if err := root.Rename(lock, configName); err != nil {
		return errors.Join(err, root.Remove(lock))
	}
	d.base = now
	return nil
}

// readDraft reads the copy, which the command may have made anything else.
func readDraft(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	budget := maxFormerFile
	u, err := readUnit(root, "config", &budget)
	if err != nil {
		return nil, errors.New("the command has removed it")
	}
	f := u.files[""]
	if !f.mode.IsRegular() || f.data == nil {
		return nil, errors.New("it is no longer a file of the usual size")
	}
	return f.data, nil
}
