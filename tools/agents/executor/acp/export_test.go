package acp

import (
	"context"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Talk returns the conversation of a run that has not begun, without files.
func Talk(ctx context.Context, s executor.Spec) command.Dialogue {
	return newTalk(&program{o: &Options{NoFiles: true}, ctx: ctx, spec: s})
}
