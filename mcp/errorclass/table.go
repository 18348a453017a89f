package errorclass

import "github.com/dougu-go/dougu/mcp"

// Severity is how bad an error is.
type Severity string

// The severities.
const (
	Low      Severity = "low"      // of the caller's making, or expected
	Medium   Severity = "medium"   // something outside fails, perhaps for a moment
	High     Severity = "high"     // the server cannot do its work until somebody mends something
	Critical Severity = "critical" // the server must not go on like that
)

// The JSON-RPC codes of this server's own, in the range that the protocol leaves
// to implementations (2026-07-28, basic, "Error Codes"). −32002 is not among
// them: to clients of older revisions it means that a resource does not exist.
const (
	PluginError     = -32000
	IndexError      = -32001
	ConnectionLimit = -32003
)

// Language is one that people are told in.
type Language string

// The languages.
const (
	English  Language = "en"
	Japanese Language = "ja"
)

// Kind is what is known of all errors with a code.
type Kind struct {
	Severity Severity
	// Retryable says that the same request may succeed later without anybody
	// changing anything.
	Retryable bool
	// RPC is the JSON-RPC code where the error is one of the protocol.
	RPC int64

	english, japanese string
}

// Message is what to tell the person who waits for the answer. Any language but
// Japanese is English.
func (k Kind) Message(in Language) string {
	if in == Japanese {
		return k.japanese
	}
	return k.english
}

// Of is what is known of a code. An unknown one is of low severity and not worth
// another try.
func Of(code string) Kind {
	k, known := table[code]
	if !known {
		k = Kind{Severity: Low}
	}
	if k.RPC == 0 {
		k.RPC = mcp.CodeInternal
	}
	if k.english == "" {
		general := messages[k.Severity]
		k.english, k.japanese = general.english, general.japanese
	}
	return k
}

// messages are those of codes that have none of their own.
var messages = map[Severity]struct{ english, japanese string }{
	Low:      {"A minor error has occurred. Change the request, or wait a moment and try again.", "処理中に軽微なエラーが発生しました。内容を確認するか、しばらく待ってから再試行してください。"},
	Medium:   {"A temporary error has occurred. Check the connection and try again.", "一時的なエラーが発生しました。接続状態を確認して再試行してください。"},
	High:     {"A system error has occurred. Ask who runs the server.", "システムエラーが発生しました。管理者にお問い合わせください。"},
	Critical: {"A serious system error has occurred. Tell who runs the server at once.", "重大なシステムエラーが発生しました。システム管理者に緊急で連絡してください。"},
}

// table is never changed.
var table = map[string]Kind{
	// Who may ask what.
	"CLIENT_NOT_ALLOWED":  {Low, false, mcp.CodeInvalidRequest, "This client may not use the server. Ask who runs it to allow the client.", "このクライアントはサーバーの利用を許可されていません。管理者に許可を依頼してください。"},
	"CONNECTION_LIMIT":    {Medium, true, ConnectionLimit, "As many clients are connected as may. Close one that is not needed, or try again later.", "同時接続数の上限に達しています。不要なクライアントを終了するか、しばらく待ってから再試行してください。"},
	"RATE_LIMITED":        {Low, true, 0, "There were too many requests. Wait a while and try again.", "リクエストが多すぎます。しばらく待ってから再試行してください。"},
	"PERMISSION_REQUIRED": {Low, false, 0, "This needs a permission that you do not have. Ask who runs the server for it.", "この操作に必要な権限がありません。管理者に権限の付与を依頼してください。"},
	"PERMISSION_DENIED":   {Low, false, 0, "A rule of the server forbids this.", "サーバーの規則により、この操作は許可されていません。"},
	"NOT_AUTHORIZED":      {High, false, PluginError, "The service refuses the server's credentials. Check the token and what it may do.", "連携先サービスの認証に失敗しました。トークンとその権限を確認してください。"},
	"NO_TOKEN":            {Medium, false, PluginError, "The service needs a token, and none is set. Set one and start the server again.", "連携先サービスのトークンが設定されていません。トークンを設定してサーバーを再起動してください。"},

	// What is asked.
	"INVALID_PARAMS": {Low, false, mcp.CodeInvalidParams, "The request is not correct. Check the arguments.", "リクエストの内容が正しくありません。引数を確認してください。"},
	"INVALID_CURSOR": {Low, false, mcp.CodeInvalidParams, "The list has changed. Begin at its start again.", "一覧が更新されています。最初から取得し直してください。"},
	"NOT_FOUND":      {Low, false, mcp.CodeInvalidParams, "What was asked for does not exist.", "指定された対象が見つかりません。"},
	"FILE_NOT_FOUND": {Low, false, mcp.CodeInvalidParams, "The file does not exist.", "指定されたファイルが見つかりません。"},
	"CANCELLED":      {Low, true, 0, "The request was given up before it was done.", "処理は完了前に取り消されました。"},

	// What answers.
	"TIMEOUT":            {Medium, true, 0, "The answer took too long. Try again, or ask for less at once.", "処理が時間内に終わりませんでした。範囲を絞るか、しばらく待ってから再試行してください。"},
	"UNAVAILABLE":        {Medium, true, 0, "The server is changing its settings. Try again.", "サーバーの設定を切り替えています。もう一度お試しください。"},
	"INDEX_UNAVAILABLE":  {High, true, IndexError, "The search index cannot be used at the moment. Try again; if that does not help, build it anew.", "検索インデックスを利用できません。再試行しても解決しない場合は、インデックスを再構築してください。"},
	"ISSUES_UNAVAILABLE": {Medium, true, PluginError, "Issues cannot be reached at the moment. Check the connection and try again.", "Issue を取得できません。接続状態を確認して再試行してください。"},
	"CIRCUIT_OPEN":       {Medium, true, PluginError, "A service has failed several times and is left alone for a while. Try again later.", "連携先サービスで障害が続いているため、一時的に呼び出しを停止しています。しばらく待ってから再試行してください。"},
	"UNKNOWN_OUTCOME":    {Medium, false, PluginError, "It is not known whether this was done. Look before you do it again.", "処理が完了したかどうか確認できません。再実行する前に結果を確認してください。"},

	// The server itself.
	"CONFIG_ERROR":   {High, false, 0, "The server's settings are wrong. Ask who runs it.", "サーバーの設定に誤りがあります。管理者にお問い合わせください。"},
	"NO_SPACE":       {High, false, 0, "The disk is full. Make room.", "ディスクの空き容量がありません。容量を確保してください。"},
	"AUDIT_FAILED":   {Critical, false, 0, "The audit log cannot be written, so nothing is changed. Tell who runs the server at once.", "監査ログに書き込めないため、変更を中止しました。システム管理者に緊急で連絡してください。"},
	"INTERNAL_ERROR": {High, false, 0, "The server has failed. Ask who runs it; its log says more.", "サーバー内部でエラーが発生しました。管理者にお問い合わせください。"},
}
