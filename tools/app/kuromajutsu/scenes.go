package kuromajutsu

import "time"

// scenes are the scenes of the demonstration. Their texts are Japanese and English, like
// the recordings.
var scenes = []scene{
	{"カート機能の実装・テスト・レビュー", []part{
		{role: "impl-code", recording: "demo-cart", prompt: "買い物かごの合計を、割引に対応させて実装してください。"},
		{role: "impl-test", recording: "demo-cart-test", prompt: "合計と割引のテストを書いてください。"},
		{role: "code-review", recording: "demo-review", prompt: "実装とテストをレビューしてください。", after: []int{0, 1}},
	}},
	{"Rate limits, a search box and a cache", []part{
		{role: "impl-code", recording: "demo-login", prompt: "Limit how often one address may try to log in."},
		{role: "impl-code", recording: "demo-search", prompt: "Add a search box that drops stale answers."},
		{role: "impl-code", recording: "demo-cache", prompt: "Keep answers of the API for a minute."},
		{role: "impl-test", recording: "demo-fail", prompt: "Test that requests are tried again five times."},
	}},
	{"翻訳と文書の見直し", []part{
		{role: "impl-code", recording: "demo-i18n", prompt: "画面の文言を翻訳ファイルに移してください。"},
		{role: "text-review", recording: "demo-text", prompt: "README の文章を見直してください。"},
		{role: "code-review", recording: "demo-plan", prompt: "移行の設計を相談させてください。"},
	}},
	{"Housekeeping", []part{
		{role: "impl-code", recording: "demo-refactor", prompt: "Split the handler into smaller functions."},
		{role: "impl-code", recording: "demo-stall", prompt: "Find out why the build is slow."},
		{role: "impl-code", recording: "demo-timeout", prompt: "注文の表を移行してください。", timeout: 25 * time.Second},
	}},
}
