package rank

import (
	"strings"
	"unicode/utf8"
)

// translated returns the English words for each Japanese word in a text, because code
// is usually written in English.
func translated(text string) [][]string {
	var all [][]string
	for at := 0; at < len(text); {
		size := longestTerm(text[at:])
		if size > 0 {
			all = append(all, glossary[text[at:at+size]])
			at += size
			continue
		}
		_, size = utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return all
}

// longestTerm returns the length of the longest word of the glossary at the beginning of a
// text, or 0.
func longestTerm(text string) int {
	longest, end := 0, 0
	for n := 0; n < maxTermRunes && end < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
		if _, ok := glossary[text[:end]]; ok {
			longest = end
		}
	}
	return longest
}

// maxTermRunes is an upper limit of the length of the words in the glossary.
const maxTermRunes = 9

var glossary = func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(glossaryTable) {
		if words := strings.Fields(line); len(words) > 1 {
			all[words[0]] = words[1:]
		}
	}
	return all
}()

const glossaryTable = `
一覧 list
一致 match equal
一時 temp tmp temporary
並列 parallel concurrent
並行 concurrent parallel
中断 abort interrupt cancel
乱数 random rand
予約 reserve schedule
互換 compat compatible
仕様 spec specification
代入 assign assignment
例外 exception error
依存 dependency dependencies depends
保存 save store persist
保護 protect guard
信号 signal
修正 fix patch modify
値 value
停止 stop halt
優先 priority prefer
入力 input
公開 public publish export
共有 share shared
再帰 recursive recursion
再試行 retry
再接続 reconnect
再起動 restart reboot
処理 process handle handler
出力 output print
切断 disconnect close
初期化 init initialize
初期値 default initial
制限 limit restrict
削除 delete remove
割り込み interrupt
動的 dynamic
参照 reference ref
取得 get fetch
受信 receive recv
合計 sum total
同期 sync synchronize
名前 name
命令 command instruction
回復 recover restore
型 type
基底 base
報告 report
境界 boundary bounds
変換 convert conversion transform
変更 change modify update
変数 variable var
大文字 upper uppercase
失敗 fail failure
子プロセス child subprocess
字句解析 lexer tokenize tokenizer
字句解析器 lexer tokenizer
定数 const constant
定義 define definition
実行 run execute exec
実装 implement implementation impl
容量 capacity size
対応 support
小文字 lower lowercase
属性 attribute attr
履歴 history
展開 expand extract
待機 wait
待ち wait
復元 restore
復号 decrypt decode
循環 cycle circular cyclic
情報 info information
成功 success
手続き procedure
抽出 extract
抽象 abstract
拡張 extend extension
拡張子 extension ext
接続 connect connection
接頭辞 prefix
接尾辞 suffix
操作 operation
改行 newline linebreak
文字 char character
文字列 string str
文字コード encoding charset
整列 sort align
整数 int integer
日付 date
日時 datetime timestamp
時刻 time clock
時間 time duration
時間切れ timeout
暗号 encrypt cipher crypto
暗号化 encrypt encryption
更新 update refresh
最大 max maximum
最小 min minimum
有効 enable valid
期限 expire deadline expiry
本文 body
条件 condition
検索 search find
検証 verify validate
構文 syntax
構文解析 parse parser parsing
構造体 struct
構成 config configuration
標準出力 stdout
標準入力 stdin
標準エラー stderr
権限 permission
正規表現 regex regexp
比較 compare comparison
浮動小数点 float
添付 attach attachment
無効 disable invalid
無視 ignore
状態 state status
環境 env environment
環境変数 env environ environment
生成 generate create
画像 image
画面 screen view
登録 register
監視 watch monitor
省略 omit skip
確認 confirm check
秘密 secret private
移動 move
空白 space whitespace blank
端末 terminal tty
符号 sign
符号化 encode
管理 manage manager
管理者 admin
精度 precision
索引 index
終了 exit end quit
結合 join concat
結果 result
統計 stats statistics
継承 inherit extend
継続 continue
編集 edit
署名 sign signature
翻訳 translate
自動 auto automatic
色 color colour
行 line row
表 table
表示 show display
要求 request
要素 element
解放 free release
解析 parse analyze
解決 resolve
言語 language lang
計算 compute calculate
計測 measure
設定 config setting settings configuration
許可 allow permit
認可 authorize authorization
認証 auth authenticate authentication
証明書 certificate cert
試験 test
詳細 detail
警告 warning warn
読み込み load read
読み込む load read
読込 load read
読み取り read
貼り付け paste
起動 start launch boot
転送 transfer forward
辞書 dict dictionary map
追加 add append
送信 send
逆 reverse inverse
通信 communication
通知 notify notification
速度 speed
遅延 delay lazy
選択 select
配列 array
配布 distribute
重複 duplicate
鍵 key
長さ length len
閉じる close
開く open
開始 start begin
開発 develop
関数 func function
階層 hierarchy level
集合 set
非同期 async asynchronous
音声 audio voice
順序 order
書き込み write
書き込む write
書式 format
アクセス access
アップロード upload
アプリ app
アルゴリズム algorithm
イベント event
インスタンス instance
インストール install
インターフェース interface
インデックス index
インポート import
ウィンドウ window
ウェブ web
エクスポート export
エスケープ escape
エディタ editor
エラー error
エンコード encode
エンジン engine
オブジェクト object
オプション option
カウント count
カーソル cursor
キー key
キャッシュ cache
キャンセル cancel
キュー queue
クエリ query
クッキー cookie
クライアント client
クラス class
グラフ graph
グループ group
グローバル global
コピー copy
コマンド command cmd
コメント comment
コンテキスト context
コンテナ container
コンパイル compile
コード code
サイズ size
サーバ server
サーバー server
サービス service
スキーマ schema
スクリプト script
スケジュール schedule
スタック stack
スレッド thread
セキュリティ security
セッション session
ソケット socket
ソート sort
タイマー timer
タイムアウト timeout
タグ tag
タスク task
ダウンロード download
チャンネル channel
チャネル channel
ツリー tree
ツール tool
テスト test
テキスト text
テンプレート template
テーブル table
ディレクトリ directory dir
データ data
データベース database db
デコード decode
デバッグ debug
デフォルト default
トランザクション transaction
トークン token
トリム trim
ドキュメント document doc
ドライバ driver
ネットワーク network net
ノード node
ハッシュ hash
ハンドラ handler
バイト byte
バイナリ binary
バックアップ backup
バッファ buffer
バージョン version
パス path
パスワード password
パッケージ package pkg
パラメータ parameter param
パーサ parser
ヒープ heap
ビルド build
ファイル file
フィルタ filter
フォルダ folder directory dir
フォルダー folder directory dir
フック hook
フラグ flag
ブラウザ browser
ブロック block
プラグイン plugin
プロキシ proxy
プロセス process
プロパティ property
プロトコル protocol
ヘッダ header
ヘッダー header
ベクトル vector
ページ page
ポインタ pointer
ポート port
マクロ macro
マップ map
ミューテックス mutex
メソッド method
メッセージ message
メモリ memory mem
メモリー memory mem
メール mail email
モジュール module
モデル model
ユーザ user
ユーザー user
ライブラリ library lib
ラベル label
リクエスト request
リスト list
リソース resource
リダイレクト redirect
リポジトリ repository repo
リリース release
リンク link
ルート root route
ルーティング routing route
レコード record
レスポンス response
レンダリング render
ログ log
ログアウト logout
ログイン login
ロック lock
ワーカー worker`
