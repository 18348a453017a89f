package notify

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dougu-go/dougu/internal/truncate"
)

// Limits of what a screen shows, in UTF-16 units.
const (
	screenTitle = 100
	screenText  = 400
)

// show shows a message on the desktop. The program that does it is given the texts as they are, never a shell.
func show(name string, m Message) delivery {
	return func(ctx context.Context) error {
		program, args, env := display(runtime.GOOS, name, m)
		path, err := exec.LookPath(program)
		if err != nil {
			return fmt.Errorf("%s, which shows messages on the desktop, is not installed", program)
		}
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Env = append(os.Environ(), env...)
		cmd.WaitDelay = time.Second
		var said limited
		cmd.Stderr = &said
		if err := cmd.Run(); err != nil {
			return errors.Join(fmt.Errorf("showing a message on the desktop: %w: %s", err, truncate.Line(string(said), 200)), context.Cause(ctx))
		}
		return nil
	}
}

// limited keeps the beginning of what is written.
type limited []byte

func (l *limited) Write(p []byte) (int, error) {
	*l = append(*l, p[:min(len(p), 1<<10-min(len(*l), 1<<10))]...)
	return len(p), nil
}

// display is the command that shows a message on a system. The arguments of none are code.
func display(system, name string, m Message) (program string, args, env []string) {
	plain := func(r rune) string { return string(r) }
	title, text := fit(m.Level.sign()+" "+m.Title, screenTitle, plain), m.Text
	if text == "" && len(m.Fields) > 0 {
		text = m.Fields[0].Name + ": " + m.Fields[0].Value
	}
	switch system {
	case "darwin":
		return "osascript", []string{
			"-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run", "--", title, fit(text, screenText, plain),
		}, nil
	case "windows":
		return "powershell.exe", []string{"-NoProfile", "-NonInteractive", "-EncodedCommand", encoded(toast)}, []string{"DOUGU_NOTIFY_TITLE=" + title, "DOUGU_NOTIFY_TEXT=" + fit(text, screenText, plain)}
	}
	urgency := "normal"
	if m.Level == Failure {
		urgency = "critical"
	}
	return "notify-send", []string{"--app-name=" + name, "--urgency=" + urgency, "--", title, fit(text, screenText, markup)}, nil
}

// markup writes the characters that mean something in the body of a desktop notification, and the one that means something to
// notify-send.
func markup(r rune) string {
	if r == '\\' {
		return `\\`
	}
	return slackEscape(r)
}

// toast shows what is in the environment, as text.
const toast = `
$ErrorActionPreference = 'Stop'
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$content = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$lines = $content.GetElementsByTagName('text')
$null = $lines.Item(0).AppendChild($content.CreateTextNode($env:DOUGU_NOTIFY_TITLE))
$null = $lines.Item(1).AppendChild($content.CreateTextNode($env:DOUGU_NOTIFY_TEXT))
$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\WindowsPowerShell\v1.0\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($app).Show([Windows.UI.Notifications.ToastNotification]::new($content))
`

// encoded is a script as PowerShell takes it without any quoting.
func encoded(script string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(script)) {
		b.WriteByte(byte(unit))
		b.WriteByte(byte(unit >> 8))
	}
	return base64.StdEncoding.EncodeToString([]byte(b.String()))
}
