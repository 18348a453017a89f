package cursorcli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/dougu-go/dougu/tools/app"
)

// configCommand shows the settings.
func (p *program) configCommand() app.Command {
	var schema, asJSON bool
	return app.Command{
		Name:    "config",
		Summary: "show the settings, where each comes from, and what is wrong with them",
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&schema, "schema", false, "print the JSON Schema of the file of settings instead")
			flags.BoolVar(&asJSON, "json", false, "print the settings as the file would have them instead")
		},
		Run: func(ctx context.Context, a *app.App, _ *flag.FlagSet) error {
			if schema {
				_, err := io.WriteString(a.Stdout, p.settings.Schema().Indented())
				return err
			}
			v, err := openService(ctx, &p.options, p.settings, false, io.Discard)
			if err != nil {
				return err
			}
			return errors.Join(v.show(a.Stdout, asJSON), v.close(ctx))
		},
	}
}

// show prints the settings. What is wrong with them is the error.
func (v *service) show(w io.Writer, asJSON bool) error {
	var err error
	if asJSON {
		_, err = io.WriteString(w, v.loaded.Document().Indented())
	} else {
		err = v.loaded.Show(w)
	}
	if problems := v.loaded.Err(); problems != nil {
		err = errors.Join(err, fmt.Errorf("problems with the settings:\n%w", problems))
	}
	return err
}
