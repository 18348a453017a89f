package errorclass

import (
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Severity is the severity of an error.
type Severity string

// The severities.
const (
	Low      Severity = "low"      // a mistake of the caller, or an expected error
	Medium   Severity = "medium"   // a failure outside the server, possibly temporary
	High     Severity = "high"     // the server cannot work until an operator fixes the cause
	Critical Severity = "critical" // the server must not continue without an operator
)

// JSON-RPC codes of this server, in the range for implementations (2026-07-28, basic, "Error
// Codes"). −32002 is not used: older clients read it as a missing resource.
const (
	PluginError     = -32000 // failure of an external service
	IndexError      = -32001 // the search index is not available
	ConnectionLimit = -32003 // too many connections
)

// Language is the language of messages for users.
type Language string

// The languages.
const (
	English  Language = "en"
	Japanese Language = "ja"
)

// Kind is the classification of all errors with one code.
type Kind struct {
	Severity Severity // Severity is the severity.
	// Retryable means that the same request may succeed later without a change.
	Retryable bool
	// RPC is the JSON-RPC code of the error as a protocol error.
	RPC int64

	english, japanese string
}

// Message returns the message for the user. Every language other than Japanese means English.
func (k Kind) Message(in Language) string {
	if in == Japanese {
		return k.japanese
	}
	return k.english
}

// Of returns the classification of a code. An unknown code has severity Low and is not retryable.
func Of(code string) Kind {
	k, known := table[code]
	if !known {
		k = Kind{Severity: Low}
	}
	if k.RPC == 0 {
		k.RPC = protocol.CodeInternal
	}
	if k.english == "" {
		general := messages[k.Severity]
		k.english, k.japanese = general.english, general.japanese
	}
	return k
}

// messages are the messages of codes without a message of their own.
var messages = map[Severity]struct{ english, japanese string }{
	Low:      {"A minor error has occurred. Change the request, or wait a moment and try again.", "処理中に軽微なエラーが発生しました。内容を確認するか、しばらく待ってから再試行してください。"},
	Medium:   {"A temporary error has occurred. Check the connection and try again.", "一時的なエラーが発生しました。接続状態を確認して再試行してください。"},
	High:     {"A system error has occurred. Ask the administrator of the server.", "システムエラーが発生しました。管理者にお問い合わせください。"},
	Critical: {"A serious system error has occurred. Inform the administrator of the server at once.", "重大なシステムエラーが発生しました。システム管理者に緊急で連絡してください。"},
}

// table classifies codes. It is read-only.
var table = map[string]Kind{
	// Access and authorization.
	"CLIENT_NOT_ALLOWED":  {Low, false, protocol.CodeInvalidRequest, "This client may not use the server. Ask the administrator to allow the client.", "このクライアントはサーバーの利用を許可されていません。管理者に許可を依頼してください。"},
	"CONNECTION_LIMIT":    {Medium, true, ConnectionLimit, "The maximum number of clients is connected. Close one that is not needed, or try again later.", "同時接続数の上限に達しています。不要なクライアントを終了するか、しばらく待ってから再試行してください。"},
	"RATE_LIMITED":        {Low, true, 0, "There were too many requests. Wait a while and try again.", "リクエストが多すぎます。しばらく待ってから再試行してください。"},
	"PERMISSION_REQUIRED": {Low, false, 0, "This needs a permission that you do not have. Ask the administrator of the server for it.", "この操作に必要な権限がありません。管理者に権限の付与を依頼してください。"},
	"PERMISSION_DENIED":   {Low, false, 0, "A rule of the server forbids this.", "サーバーの規則により、この操作は許可されていません。"},
	"NOT_AUTHORIZED":      {High, false, PluginError, "The service rejects the server's credentials. Check the token and its rights.", "連携先サービスの認証に失敗しました。トークンとその権限を確認してください。"},
	"NO_TOKEN":            {Medium, false, PluginError, "The service needs a token, and none is set. Set one and start the server again.", "連携先サービスのトークンが設定されていません。トークンを設定してサーバーを再起動してください。"},

	// The request.
	"INVALID_PARAMS": {Low, false, protocol.CodeInvalidParams, "The request is not correct. Check the arguments.", "リクエストの内容が正しくありません。引数を確認してください。"},
	"INVALID_CURSOR": {Low, false, protocol.CodeInvalidParams, "The list has changed. List it again from the start.", "一覧が更新されています。最初から取得し直してください。"},
	"NOT_FOUND":      {Low, false, protocol.CodeInvalidParams, "The requested object does not exist.", "指定された対象が見つかりません。"},
	"FILE_NOT_FOUND": {Low, false, protocol.CodeInvalidParams, "The file does not exist.", "指定されたファイルが見つかりません。"},
	"CANCELLED":      {Low, true, 0, "The request was cancelled before its end.", "処理は完了前に取り消されました。"},

	// Availability.
	"TIMEOUT":            {Medium, true, 0, "The answer took too long. Try again, or ask for less at once.", "処理が時間内に終わりませんでした。範囲を絞るか、しばらく待ってから再試行してください。"},
	"UNAVAILABLE":        {Medium, true, 0, "The server is changing its settings. Try again.", "サーバーの設定を切り替えています。もう一度お試しください。"},
	"INDEX_UNAVAILABLE":  {High, true, IndexError, "The search index cannot be used at the moment. Try again; if that does not help, build it again.", "検索インデックスを利用できません。再試行しても解決しない場合は、インデックスを再構築してください。"},
	"ISSUES_UNAVAILABLE": {Medium, true, PluginError, "Issues cannot be reached at the moment. Check the connection and try again.", "Issue を取得できません。接続状態を確認して再試行してください。"},
	"CIRCUIT_OPEN":       {Medium, true, PluginError, "A service has failed several times, so calls to it are paused. Try again later.", "連携先サービスで障害が続いているため、一時的に呼び出しを停止しています。しばらく待ってから再試行してください。"},
	"UNKNOWN_OUTCOME":    {Medium, false, PluginError, "It is not known whether this was done. Check the result before you do it again.", "処理が完了したかどうか確認できません。再実行する前に結果を確認してください。"},

	// The server itself.
	"CONFIG_ERROR":   {High, false, 0, "The server's settings are wrong. Ask the administrator.", "サーバーの設定に誤りがあります。管理者にお問い合わせください。"},
	"NO_SPACE":       {High, false, 0, "The disk is full. Free some space.", "ディスクの空き容量がありません。容量を確保してください。"},
	"AUDIT_FAILED":   {Critical, false, 0, "The audit log cannot be written, so nothing is changed. Inform the administrator of the server at once.", "監査ログに書き込めないため、変更を中止しました。システム管理者に緊急で連絡してください。"},
	"INTERNAL_ERROR": {High, false, 0, "The server has failed. Ask the administrator; the log of the server has details.", "サーバー内部でエラーが発生しました。管理者にお問い合わせください。"},
}
