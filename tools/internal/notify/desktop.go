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

// Limits of desktop notifications, in UTF-16 code units.
const (
	maxDesktopTitle = 100
	maxDesktopText  = 400
)

// show returns a delivery that shows a message on the desktop. Texts are passed as arguments or
// environment variables, never through a shell.
func show(name string, m Message) delivery {
	return func(ctx context.Context) error {
		program, args, env := display(runtime.GOOS, name, m)
		path, err := exec.LookPath(program)
		if err != nil {
			return fmt.Errorf("desktop notifications need the program %s, which is not installed", program)
		}
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Env = append(os.Environ(), env...)
		cmd.WaitDelay = time.Second
		var stderr prefixBuffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			return errors.Join(fmt.Errorf("showing a message on the desktop: %w: %s", err, truncate.Line(string(stderr), 200)), context.Cause(ctx))
		}
		return nil
	}
}

// prefixBuffer keeps the first 1,024 bytes that are written.
type prefixBuffer []byte

func (l *prefixBuffer) Write(p []byte) (int, error) {
	*l = append(*l, p[:min(len(p), 1<<10-min(len(*l), 1<<10))]...)
	return len(p), nil
}

// display returns the command that shows a message on an operating system. No argument contains
// text of the message as code.
func display(system, name string, m Message) (program string, args, env []string) {
	plain := func(r rune) string { return string(r) }
	title, text := truncateEscaped(m.Level.sign()+" "+m.Title, maxDesktopTitle, plain), m.Text
	if text == "" && len(m.Fields) > 0 {
		text = m.Fields[0].Name + ": " + m.Fields[0].Value
	}
	switch system {
	case "darwin":
		return "osascript", []string{
			"-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run", "--", title, truncateEscaped(text, maxDesktopText, plain),
		}, nil
	case "windows":
		return "powershell.exe", []string{"-NoProfile", "-NonInteractive", "-EncodedCommand", encodePowerShell(toastScript)}, []string{"DOUGU_NOTIFY_TITLE=" + title, "DOUGU_NOTIFY_TEXT=" + truncateEscaped(text, maxDesktopText, plain)}
	}
	urgency := "normal"
	if m.Level == Failure {
		urgency = "critical"
	}
	return "notify-send", []string{"--app-name=" + name, "--urgency=" + urgency, "--", title, truncateEscaped(text, maxDesktopText, markup)}, nil
}

// markup escapes the markup of the notification body and the backslash, which notify-send
// interprets.
func markup(r rune) string {
	if r == '\\' {
		return `\\`
	}
	return slackEscape(r)
}

// toastScript is the PowerShell script that shows title and text from environment variables, as plain
// text.
const toastScript = `
$ErrorActionPreference = 'Stop'
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$content = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$lines = $content.GetElementsByTagName('text')
$null = $lines.Item(0).AppendChild($content.CreateTextNode($env:DOUGU_NOTIFY_TITLE))
$null = $lines.Item(1).AppendChild($content.CreateTextNode($env:DOUGU_NOTIFY_TEXT))
$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\WindowsPowerShell\v1.0\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($app).Show([Windows.UI.Notifications.ToastNotification]::new($content))
`

// encodePowerShell returns a script in the form of -EncodedCommand, which needs no quoting.
func encodePowerShell(script string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(script)) {
		b.WriteByte(byte(unit))
		b.WriteByte(byte(unit >> 8))
	}
	return base64.StdEncoding.EncodeToString([]byte(b.String()))
}
