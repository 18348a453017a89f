package parsecheck_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// TestPHP compares functions, methods, types and functions bound to variables
// with PHP-Parser.
func TestPHP(t *testing.T) {
	php := program(t, "php", "php-cli")
	library := parsecheck.Debian(t, "php-parser") + "/usr/share/php/PhpParser/autoload.php"
	var corpora []corpus
	for _, name := range []string{"php-symfony-http-kernel", "php-symfony-dependency-injection", "php-symfony-console", "php-symfony-http-foundation",
		"php-symfony-form", "php-symfony-cache", "php-symfony-validator", "php-symfony-string", "php-twig", "phpunit", "composer", "phpmyadmin", "wordpress", "php-parser"} {
		corpora = append(corpora, sources(t, name, parsecheck.Debian(t, name)+"/usr/share", nil, ".php"))
	}
	want := several(corpora, func(dir string, files []string) parsecheck.Found {
		return parsecheck.Run(t, dir, files, php, "-d", "memory_limit=-1", oracle(t, "php.php"), library)
	})
	got := parsed(t, grammarOf(t), parse.PHP, corpora, parsecheck.Want{})
	require(t, parsecheck.Compare(want, got), 99)
}
