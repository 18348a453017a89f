package vscode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// refresh searches for new windows now, and waits until they have answered or answerTime has passed.
func (v *VSCode) refresh(ctx context.Context) {
	v.lookout.Refresh(ctx)
	v.connections.Await(ctx, answerTime)
}

// openWindows reads the files of windows in all directories, starts to connect to new windows, and removes files of ended windows of
// other projects. Windows of other projects can have documents of this project open.
func (v *VSCode) openWindows() {
	var opening group.Group
	described, folders := map[string]bool{}, map[string][]string{}
	var fault error
	elsewhere := ""
	host, err := os.Hostname()
	if err != nil {
		fault = err
	}
	for _, dir := range v.dirs {
		all, faults := descriptions(dir)
		for _, err := range faults {
			v.options.Log.Debug("a window of VS Code cannot be used", "error", err)
			fault = err
		}
		for _, d := range all {
			if d.Host != host { // a home directory may be shared by several machines
				if v.concerns(d.Folders) {
					elsewhere = truncate.Line("a window on the machine "+d.Host+" has it open, whose files are not those of this machine", maxErrorText)
				}
				continue
			}
			if described[d.file] {
				continue
			}
			if len(d.Folders) == 0 && len(d.Foreign) > 0 && local.IsAlive(d.PID) {
				elsewhere = truncate.Line("a window has "+d.Foreign[0]+" open, whose files are not on this machine", maxErrorText)
			}
			folders[d.file] = d.Folders
			switch described[d.file] = true; {
			case !v.concerns(d.Folders) && !local.IsAlive(d.PID):
				opening.Go(func() { v.sweep(d) })
			case len(d.Folders) > 0 && v.ctx.Err() == nil && v.connections.Begin(d.file, d.Token):
				v.connections.Dialed(d.file, d.PID)
				if !v.spawn(func() { v.open(d) }) {
					v.connections.Ended(d.file)
				}
			}
		}
	}
	opening.Wait()
	v.connections.Keep(described)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fault, v.elsewhere, v.folders = fault, elsewhere, folders
}

// open connects to a window, sends it the latest log records, and announces the change. The end of the connection is handled in the
// background.
func (v *VSCode) open(d description) {
	w, err := connect(v.ctx, d, v.client, v.spawn, v.news.Announce)
	if err != nil {
		v.failed(d, err)
		return
	}
	v.connections.Connected(d.file, w)
	v.options.Log.Info("connected to a window of VS Code", "app", w.hello.App, "version", w.hello.AppVersion, "folders", w.hello.Folders)
	v.reportVersion(w.hello.Version)
	if open, _ := w.state(); v.concerns(open) {
		v.records.replay(v.ctx, w)
	}
	v.news.Announce()
	v.spawn(func() {
		<-w.conn.DisconnectNotify()
		v.recordEnded(w)
		v.connections.Ended(d.file)
		v.chosen.Forget(func(chosen *window) bool { return chosen == w })
		v.options.Log.Info("a window of VS Code has disconnected", "folders", w.hello.Folders)
		v.news.Announce()
	})
}

// reportVersion logs, once for each version, that the extension in a window has another version than this program.
func (v *VSCode) reportVersion(extension string) {
	if !v.isOther(extension) {
		return
	}
	v.mu.Lock()
	known := v.reported[extension]
	v.reported[extension] = true
	v.mu.Unlock()
	if !known {
		v.options.Log.Warn("the extension in VS Code has another version than this program", "extension", extension, "program", v.options.Version, "next", otherVersionAdvice)
	}
}

// otherVersionAdvice is the next step after isOther.
const otherVersionAdvice = "install the extension with install-extension, then run Developer: Reload Window"

// isOther reports whether the version of an extension is known and differs from that of this program.
func (v *VSCode) isOther(extension string) bool {
	return extension != "" && v.options.Version != "" && extension != v.options.Version
}

// sweep removes the files of an ended window of another project.
func (v *VSCode) sweep(d description) {
	ctx, cancel := context.WithTimeout(v.ctx, helloTimeout)
	defer cancel()
	p, err := local.Dial(ctx, d.Socket)
	switch {
	case err == nil:
		_ = p.Close()
	case local.IsDeserted(err):
		remove(d)
	}
}

// failed records a failed connection. If the window was killed, it removes the window's files.
func (v *VSCode) failed(d description, err error) {
	if local.IsDeserted(err) && !local.IsAlive(d.PID) {
		remove(d)
		v.connections.Ended(d.file)
		return
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: it %w", err, presence.ErrNoAnswer)
	}
	if v.connections.Failed(d.file, d.Token, err, 0) {
		v.options.Log.Warn("a window of VS Code refused the connection", "error", err)
	}
}

// remove deletes the file of a window, and its socket if that is in the same directory.
func remove(d description) {
	if filepath.Dir(d.Socket) == filepath.Dir(d.file) {
		_ = os.Remove(d.Socket)
	}
	_ = os.Remove(d.file)
}
