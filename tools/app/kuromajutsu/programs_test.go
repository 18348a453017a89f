package kuromajutsu

import (
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
)

// speaker is a program that speaks the Agent Client Protocol, and has one model.
const speaker = `read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read line; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s","configOptions":[{"id":"m","name":"M","category":"model","type":"select","currentValue":"one","options":[{"value":"one","name":"One"}]}]}}'
read line; echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}'
cat >/dev/null`

// lister is one that lists its models, or ends as the Codex CLI does.
const lister = `case "$*" in
*models) echo '{"models":[{"slug":"gpt-6","display_name":"GPT-6","visibility":"list"}]}';;
*) cat >/dev/null; echo '{"type":"turn.completed"}';;
esac`

// Roles can name other programs, with the models of these programs.
func TestRoles_OtherPrograms(t *testing.T) {
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{agentservice.DefaultFile: `agent:
  executor: acp
  codexProgram: ` + script(t, lister) + `
  geminiProgram: ` + dir + `/nothing
  acpProgram: ` + script(t, speaker) + `
  models: ["codex=mine"]
roles:
  - {id: first, model: one, systemPrompt: x}
  - {id: second, model: mine, executor: codex, systemPrompt: x}
  - {id: third, model: gpt-5, executor: codex, systemPrompt: x}
  - {id: fourth, model: auto, executor: gemini, systemPrompt: x}
  - {id: fifth, model: two, executor: acp, systemPrompt: x}
`})
	_, out, _ := in().Run(t, "call", "-root", dir, "-config", filepath.Join(dir, agentservice.DefaultFile), "list_roles")
	apptest.Contains(t, out, "model one: available", "model mine: available", "model gpt-5: not available", "gpt-6", "model auto: not available", "geminicli.com", "model two: not available")
	_, out, _ = withState(t).Run(t, "doctor", "-root", dir, "-config", filepath.Join(dir, agentservice.DefaultFile))
	apptest.Contains(t, out, "acp: 2 models", "codex: 3 models", "gemini: not installed")
}
