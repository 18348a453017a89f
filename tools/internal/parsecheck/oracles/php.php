<?php
// Prints the declarations that PHP-Parser finds, as JSON lines. The argument is
// the file that loads the library.
require $argv[1];

use PhpParser\Node;
use PhpParser\Node\Expr;
use PhpParser\Node\Stmt;

final class Reading extends PhpParser\NodeVisitorAbstract
{
    /** @var Expr\Assign[] what a statement of its own has printed */
    private array $done = [];

    public function __construct(private string $file, private string $text)
    {
    }

    public function enterNode(Node $node)
    {
        if ($node instanceof Stmt\Function_ || $node instanceof Stmt\ClassMethod) {
            $this->found('function', $node->name->name, $node);
        } elseif ($node instanceof Stmt\ClassLike && $node->name !== null) {
            $this->found('type', $node->name->name, $node);
        } elseif ($node instanceof Stmt\Expression && $this->bound($node->expr)) {
            // A function bound to a name has the range of the whole statement.
            $this->found('lambda', $node->expr->var->name, $node);
            $this->done[] = $node->expr;
        } elseif ($this->bound($node) && !in_array($node, $this->done, true)) {
            $this->found('lambda', $node->var->name, $node);
        }
        return null;
    }

    private function bound(Node $node): bool
    {
        return $node instanceof Expr\Assign && $node->var instanceof Expr\Variable && is_string($node->var->name)
            && ($node->expr instanceof Expr\Closure || $node->expr instanceof Expr\ArrowFunction);
    }

    private function found(string $kind, string $name, Node $node): void
    {
        $line = fn (int $at): int => 1 + substr_count($this->text, "\n", 0, $at);
        echo json_encode([
            'file' => $this->file, 'kind' => $kind, 'name' => $name,
            'start' => $line($node->getStartFilePos()), 'end' => $line($node->getEndFilePos()),
        ], JSON_INVALID_UTF8_SUBSTITUTE), "\n";
    }
}

$lexer = new PhpParser\Lexer\Emulative(['usedAttributes' => ['startFilePos', 'endFilePos']]);
$parser = (new PhpParser\ParserFactory())->create(PhpParser\ParserFactory::ONLY_PHP7, $lexer);
while (($file = fgets(STDIN)) !== false) {
    if (($file = rtrim($file, "\n")) === '') {
        continue;
    }
    $text = file_get_contents($file);
    try {
        $tree = $parser->parse($text);
    } catch (PhpParser\Error $e) {
        echo json_encode(['file' => $file, 'error' => true]), "\n";
        continue;
    }
    $traverser = new PhpParser\NodeTraverser();
    $traverser->addVisitor(new Reading($file, $text));
    $traverser->traverse($tree);
}
