package textfile_test

// japaneseSamples has text as it stands in Japanese source trees: comments, messages, tables, prose, and single words.
var japaneseSamples = []string{
	// Words and phrases.
	"テスト", "これはテストです。", "データベース", "初期化処理", "設定ファイル", "東京都", "大阪府大阪市", "開発環境",
	"戻り値", "エラー", "はい", "いいえ", "以上", "処理中…", "株式会社", "日本語", "文字コード", "改行コード", "読み込み",
	"半角ｶﾅと全角カナ", "ﾃﾞｰﾀﾍﾞｰｽ", "ﾊﾞｰｼﾞｮﾝ", "ﾌｧｲﾙ ｻｲｽﾞ", "①項目", "㈱山田商店", "髙橋様", "℃", "＝＝＝＝＝＝", "※注意事項",
	"～開始～", "（仮）", "１２３", "ＡＢＣ", "→次へ", "望遠鏡", "破棄", "表示", "ソース", "予約済み", "貼り付け",
	// Lines of code.
	"// 初期化する\n",
	"/* 値を返す */ int value(void);\n",
	"int total; // 合計\r\n",
	"#define MSG \"ファイルが見つかりません\\n\"\n",
	"printf(\"%d 件処理しました。\\n\", n);\n",
	"# 設定を読み込み、既定値で補う\nload_config()\n",
	"' 入力チェック\r\nIf x = 0 Then MsgBox \"未入力です\"\r\n",
	"REM バックアップを取る\r\ncopy C:\\data\\*.* D:\\bak\r\n",
	"-- 顧客表\nCREATE TABLE 顧客 (番号 INT, 氏名 VARCHAR(40));\n",
	"<title>お問い合わせ</title>\n",
	"TODO: 例外を握りつぶさない\n",
	"X軸とY軸を入れ替える\n",
	"Goのスライス\n",
	"key=値\n",
	// Tables.
	"北海道,青森県,岩手県,宮城県,秋田県\n",
	"氏名,住所,電話番号\n佐藤,東京都港区,03-1234-5678\n鈴木,京都市左京区,075-123-4567\n",
	"商品\t単価\t数量\nりんご\t120\t3\nみかん\t80\t10\n",
	"ｻﾄｳ ﾀﾛｳ,ｽｽﾞｷ ｼﾞﾛｳ,ﾀｶﾊｼ ｻﾌﾞﾛｳ\n",
	"ﾄｳｷﾖｳﾄ ﾁﾖﾀﾞｸ,ﾐﾅﾄｸ,ｼﾝｼﾞﾕｸｸ\n",
	// Prose.
	"昔々あるところに、おじいさんとおばあさんが住んでいました。",
	"この関数は、渡された文字列を行に分け、空の行を除いて返す。引数が空のときは空のスライスを返し、nil は返さない。",
	"吾輩は猫ではない。名前は付けてもらったが、呼ばれても返事をする気はない。日の当たる窓辺で丸くなり、昼の長さを測るのが仕事である。",
	"サーバーを再起動しても直らない場合は、ログファイル（/var/log/app.log）を添えて管理者へ連絡してください。連絡先は社内ポータルの「お問い合わせ」にあります。",
	"春はまだ遠い。駅前の並木は枯れたままで、通りを行く人の息が白い。角の喫茶店だけが、窓を曇らせて湯気の立つ珈琲を出している。",
	"１．電源を入れる。\r\n２．緑のランプが点くまで待つ。\r\n３．画面の指示に従い、言語を選ぶ。\r\n",
	"第1章 はじめに\n\n本書は、プログラムを書いたことのない人が、自分の手で小さな道具を作れるようになるまでの道のりを記したものです。難しい言葉はできるだけ避けました。\n",
	"┌────┬────┐\n│項目│内容│\n├────┼────┤\n│名前│試験│\n└────┴────┘\n",
}

// westernSamples has text of Windows-1252.
var westernSamples = []string{
	"café", "Müller", "für", "größe", "naïve", "garçon", "señor", "à la carte", "élève très sérieux", "Ångström", "© 2020 ACME",
	"25°C", "it’s", "don’t", "we’re", "I’m", "he’d", "“Hello,” she said", "«Bonjour»", "x²+y²=1", "100 €", "½ cup", "n° 5",
	"RÉSUMÉ", "Straße 12", "¿Qué tal?", "São Paulo", "Smørrebrød", "the ’90s", "a — b – c", "façade; rôle", "déjà vu",
	"// Prüfen, ob die Größe stimmt\nif (groesse > 0) return;\n",
	"-- Copyright (c) 1999 Jürgen Weiß, München\n",
	"Il était une fois, à l’orée de la forêt, un bûcheron et sa fille.\n",
	"El niño comió una piña mientras su hermana leía en el jardín.\n",
	"The user’s data can’t be lost. They’ve said it’s fine – isn’t it?\n",
	"Lundi 5 août : réunion à 14 h, salle « Orléans ».\r\n",
	"O coração não tem razão; é só emoção.\n",
	"Der Schlüssel liegt über der Tür. Öffnen Sie das Schloß vorsichtig!\n",
}

// foreignSamples has text of encodings that this package does not know, as bytes. None of it is Japanese.
var foreignSamples = map[string]string{
	"windows-1251": "\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0. \xDD\xF2\xEE \xEF\xF0\xEE\xF1\xF2\xEE\xE9 \xF2\xE5\xF1\xF2.\n",
	"koi8-r": "\xFC\xD4\xCF \xD0\xD2\xCF\xD3\xD4\xCF\xCA \xD4\xC5\xD3\xD4, \xCB\xCF\xD4\xCF\xD2\xD9\xCA \xCE\xD5\xD6\xC5\xCE" +
		" \xC4\xCC\xD1 \xD0\xD2\xCF\xD7\xC5\xD2\xCB\xC9\n",
	"euc-kr": "\xC6\xC4\xC0\xCF\xC0\xBB \xC3\xA3\xC0\xBB \xBC\xF6 \xBE\xF8\xBD\xC0\xB4\xCF\xB4\xD9. \xB4\xD9\xBD\xC3" +
		" \xBD\xC3\xB5\xB5\xC7\xCF\xBD\xCA\xBD\xC3\xBF\xC0.\n",
	"gbk": "\xCA\xFD\xBE\xDD\xBF\xE2\xC1\xAC\xBD\xD3\xB4\xED\xCE\xF3\xA3\xAC\xD5\xE2\xB8\xF6\xB3\xCC\xD0\xF2\xB2\xBB\xC4\xDC" +
		"\xD4\xCB\xD0\xD0\xA1\xA3\n",
	"big5": "\xC0\xC9\xAE\xD7\xA7\xE4\xA4\xA3\xA8\xEC\xA1A\xBD\xD0\xAD\xAB\xB8\xD5\xA1C\n",
}
