package editor

import (
	"log/slog"
	"slices"

	"github.com/dougu-go/dougu/tools/editor/jetbrains"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// defaultStyle is the setting jetbrains.format for the default style of the IDE.
const defaultStyle = "default"

// openJetBrains makes the adapter for an IDE of JetBrains, where that is asked for.
func (s *service) openJetBrains(log *slog.Logger) error {
	if !slices.Contains(s.config.Editors, editorJetBrains) {
		return nil
	}
	ide, err := jetbrains.New(jetbrainsOptions(s.config, s.root.Dirs()[0], log))
	if err != nil {
		return err
	}
	s.adapters = append(s.adapters, ide)
	return nil
}

// jetbrainsOptions say how to reach the IDE, as far as the settings do.
func jetbrainsOptions(c Config, root string, log *slog.Logger) jetbrains.Options {
	o := jetbrains.Options{
		Root: root, Launcher: c.JetBrains.Launcher, WebServer: c.JetBrains.WebServer, Format: jetbrainsFormat(c),
		Name: "editor", Version: version, Log: log,
	}
	if c.JetBrains.Server != "" {
		o.Server = &httpclient.Client{URL: c.JetBrains.Server}
	}
	return o
}

// jetbrainsFormat is how the IDE lays documents out; nil if it does not.
func jetbrainsFormat(c Config) *jetbrains.Format {
	switch c.JetBrains.Format {
	case "":
		return nil
	case defaultStyle:
		return new(jetbrains.Format)
	}
	return &jetbrains.Format{Settings: c.JetBrains.Format}
}
