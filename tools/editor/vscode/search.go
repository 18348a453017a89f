package vscode

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// look opens the windows that are described and not yet open.
func (v *VSCode) look() {
	var opening group.Group
	described := map[string]bool{}
	var fault error
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
			if d.Host != host || described[d.file] {
				continue // a home directory may be that of several machines
			}
			switch described[d.file] = true; {
			case !v.concerns(d.Folders) && !isAlive(d.PID):
				opening.Go(func() { v.sweep(d) })
			case v.concerns(d.Folders) && v.due(d):
				opening.Go(func() { v.open(d) })
			}
		}
	}
	opening.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fault = fault
	for file := range v.attempts {
		if !described[file] {
			delete(v.attempts, file)
		}
	}
}

// due tells whether a window should be opened now.
func (v *VSCode) due(d description) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ctx.Err() != nil || v.windows[d.file] != nil {
		return false
	}
	before := v.attempts[d.file]
	return before == nil || before.token != d.Token || !time.Now().Before(before.next)
}

// open connects to a window and stays connected.
func (v *VSCode) open(d description) {
	w, err := connect(v.ctx, d, v.client, v.spawn, v.news.Announce)
	if err != nil {
		v.failed(d, err)
		return
	}
	v.mu.Lock()
	delete(v.attempts, d.file)
	v.windows[d.file] = w
	v.mu.Unlock()
	v.options.Log.Info("connected to a window of VS Code", "app", w.hello.App, "version", w.hello.AppVersion, "folders", w.hello.Folders)
	v.records.replay(v.ctx, w)
	v.news.Announce()
	v.spawn(func() {
		<-w.conn.DisconnectNotify()
		v.mu.Lock()
		delete(v.windows, d.file)
		for path, chosen := range v.chosen {
			if chosen == w {
				delete(v.chosen, path)
			}
		}
		v.mu.Unlock()
		v.options.Log.Info("a window of VS Code has gone", "folders", w.hello.Folders)
		v.news.Announce()
	})
}

// sweep removes what a window of another project has left behind.
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

// failed remembers that a window could not be opened, and tidies up after one that was killed.
func (v *VSCode) failed(d description, err error) {
	if local.IsDeserted(err) && !isAlive(d.PID) {
		remove(d)
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	pause := retryPause
	if before := v.attempts[d.file]; before != nil && before.token == d.Token {
		pause = min(2*before.pause, longestPause)
	} else {
		v.options.Log.Warn("a window of VS Code does not take the connection", "error", err)
	}
	v.attempts[d.file] = &attempt{d.Token, err, pause, time.Now().Add(pause)}
}

// remove removes the files of a window.
func remove(d description) {
	if filepath.Dir(d.Socket) == filepath.Dir(d.file) {
		_ = os.Remove(d.Socket)
	}
	_ = os.Remove(d.file)
}
