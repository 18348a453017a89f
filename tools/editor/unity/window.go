package unity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/unity/internal/bridge"
)

// Open has Unity open a file in the program that its user has chosen for that. preview has no meaning there.
func (u *Unity) Open(ctx context.Context, path string, at *adapter.Position, _ bool) error {
	fail := func(err error) error { return fmt.Errorf("opening %s by Unity: %w", path, err) }
	e, ok := u.covering(ctx, path)
	if !ok {
		return fail(adapter.ErrNotRunning)
	}
	line, column := 1, 1
	if at != nil {
		line, column = at.Line, at.Column
	}
	code := fmt.Sprintf("return UnityEditorInternal.InternalEditorUtility.OpenFileAtLineExternal(%s, %d, %d);", quoteCSharp(path), line, column)
	answer, err := u.call(ctx, e, "execute_code", map[string]any{"action": "execute", "code": code, "safety_checks": true}, true)
	refusal, refused := errors.AsType[*bridge.Refusal](err)
	switch {
	case errors.Is(err, bridge.ErrGone):
		return fail(fmt.Errorf("%w: %w", adapter.ErrNotRunning, err))
	case refused && (refusal.Disabled() || refusal.Unknown()):
		return fail(fmt.Errorf("its command execute_code is turned off: %w", adapter.ErrUnsupported))
	case err != nil:
		return fail(err)
	case !answer.Success:
		return fail(&failure{answer})
	}
	var result struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(answer.Data, &result) == nil && strings.EqualFold(strings.Trim(string(result.Result), `"`), "false") {
		return fail(fmt.Errorf("Unity has no program for it: %w", adapter.ErrUnsupported))
	}
	return nil
}

// Active is not supported: Unity's window shows no documents.
func (u *Unity) Active(context.Context) (adapter.Active, bool, error) {
	return adapter.Active{}, false, adapter.ErrUnsupported
}

// quoteCSharp is a string as C# has it, in which nothing but letters, digits and a few marks stands for itself.
func quoteCSharp(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, unit := range utf16.Encode([]rune(s)) {
		c := rune(unit)
		if c < 0x80 && (c == '/' || c == '.' || c == '_' || c == '-' || c == ' ' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			b.WriteRune(c)
			continue
		}
		fmt.Fprintf(&b, `\u%04X`, unit)
	}
	b.WriteByte('"')
	return b.String()
}
