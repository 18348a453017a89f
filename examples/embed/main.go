// Command embed calls the tools of this library in its own process: it shows their definitions in the form of the OpenAI API and
// calls the tools by name with JSON, as an agent does with the calls of its model. Package agent of the examples has a whole loop.
//
//	embed . search_content '{"pattern":"TODO"}'
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/modelapi"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	if len(args) != 1 && len(args) != 3 {
		return errors.New("usage: embed DIR [TOOL ARGUMENTS]")
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: args[:1], ReadOnly: true})
	if err != nil {
		return err
	}
	defer root.Close()
	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
	if err != nil {
		return err
	}
	box, err := tools.NewBox(ctx, tools.BoxOptions{Profile: tools.Profile{ReadOnly: true}}, files)
	if err != nil {
		return errors.Join(err, files.Close(ctx))
	}
	defer func() { err = errors.Join(err, box.Close(ctx)) }()
	if len(args) == 1 {
		functions, err := modelapi.OpenAIChat(box.Tools())
		if err != nil {
			return err
		}
		return json.NewEncoder(out).Encode(functions)
	}
	result, err := box.Call(ctx, args[1], json.RawMessage(args[2]))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, modelapi.Text(result))
	return err
}
