package editor

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/serverlist"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

// languageServers returns the default language servers; servers of the settings replace
// servers for the same languages.
func languageServers(settings []string) ([]headless.Server, error) {
	all := headless.DefaultServers()
	for _, setting := range settings {
		names, line, ok := strings.Cut(setting, "=")
		languages := strings.FieldsFunc(names, func(c rune) bool { return c == ',' || c == ' ' })
		if !ok || len(languages) == 0 {
			return nil, fmt.Errorf("the language server %q is not understood; write LANGUAGE=COMMAND, such as \"kotlin=kotlin-lsp --stdio\"", setting)
		}
		for i := range all {
			all[i].Languages = slices.DeleteFunc(slices.Clone(all[i].Languages), func(known string) bool { return slices.Contains(languages, known) })
		}
		all = slices.DeleteFunc(all, func(s headless.Server) bool { return len(s.Languages) == 0 })
		if command := strings.Fields(line); len(command) > 0 {
			// The user who configures a server trusts it with the whole project.
			all = append(all, headless.Server{Name: command[0], Languages: languages, Command: command[0], Args: command[1:], Writes: []string{"."}})
		}
	}
	return all, nil
}

// serversCommand lists the language servers as the tools would use them.
func (o *options) serversCommand() app.Command {
	return serverlist.Command(func(ctx context.Context) (*headless.Headless, func(context.Context) error, error) {
		s, err := openService(ctx, o, app.Start{Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			return nil, nil, err
		}
		return s.headless, s.close, nil
	})
}
