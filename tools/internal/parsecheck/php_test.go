package parsecheck_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
)

// TestPHP compares functions, methods, types and functions bound to variables
// with PHP-Parser.
func TestPHP(t *testing.T) {
	t.Parallel()
	php := program(t, "php", "php-cli")
	library := corpus.Debian(t, "php-parser") + "/usr/share/php/PhpParser/autoload.php"
	var corpora []project
	for _, name := range []string{"php-symfony-http-kernel", "php-symfony-dependency-injection", "php-symfony-console", "php-symfony-http-foundation",
		"php-symfony-form", "php-symfony-cache", "php-symfony-validator", "php-symfony-string", "php-twig", "phpunit", "composer", "phpmyadmin", "wordpress", "php-parser"} {
		corpora = append(corpora, sources(t, name, corpus.Debian(t, name)+"/usr/share", nil, ".php"))
	}
	want := several(corpora, func(dir string, files []string) parsecheck.Found {
		return parsecheck.Run(t, dir, files, php, "-d", "memory_limit=-1", oracle(t, "php.php"), library)
	})
	got := parsed(t, grammarOf(t), source.PHP, corpora, parsecheck.Want{})
	require(t, parsecheck.Compare(want, got), 99)
}
