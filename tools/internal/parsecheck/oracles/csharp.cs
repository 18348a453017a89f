// Prints the declarations that the C# compiler's own parser finds, as JSON lines.
//
// Text that #if leaves out is parsed too: once with no symbol defined, once with
// all that the file asks for, and once with each of them; what any of these runs
// finds counts. Stretches that no run could see are printed with the kind
// "unseen": the compiler says nothing about them.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

static class Oracle
{
    static readonly TextWriter output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));

    static void Main()
    {
        string file;
        while ((file = Console.In.ReadLine()) != null)
            if (file != "")
                new Reading(file, File.ReadAllText(file)).Print(output);
        output.Flush();
    }
}

class Reading : CSharpSyntaxWalker
{
    readonly string file, text;
    readonly HashSet<Tuple<string, string, int, int>> found = new HashSet<Tuple<string, string, int, int>>();
    List<TextSpan> unseen;

    public Reading(string file, string text)
    {
        this.file = file;
        this.text = text;
    }

    public void Print(TextWriter output)
    {
        if (!Run(new string[0]))
        {
            output.WriteLine("{\"file\":\"" + Escape(file) + "\",\"error\":true}");
            return;
        }
        var symbols = Symbols();
        if (symbols.Length > 0)
            Run(symbols);
        if (symbols.Length > 1)
            foreach (var one in symbols.Take(12))
                Run(new[] { one });
        // What begins with an attribute under #if begins there.
        foreach (var d in found.GroupBy(d => Tuple.Create(d.Item1, d.Item2, d.Item4)).Select(same => same.OrderBy(d => d.Item3).First()))
            Line(output, d.Item1, d.Item2, d.Item3, d.Item4);
        foreach (var s in unseen)
            Line(output, "unseen", "", s.Start, s.End);
    }

    void Line(TextWriter output, string kind, string name, int start, int end)
    {
        output.WriteLine("{\"file\":\"" + Escape(file) + "\",\"kind\":\"" + kind + "\",\"name\":\"" + Escape(name) +
            "\",\"start\":" + LineOf(start) + ",\"end\":" + LineOf(Math.Max(start, end - 1)) + "}");
    }

    int LineOf(int at)
    {
        int line = 1;
        for (int i = 0; i < at; i++)
            if (text[i] == '\n')
                line++;
        return line;
    }

    static string Escape(string s)
    {
        return s.Replace("\\", "\\\\").Replace("\"", "\\\"");
    }

    string[] Symbols()
    {
        var symbols = new HashSet<string>();
        foreach (Match line in Regex.Matches(text, @"^[ \t]*#[ \t]*(?:el)?if(.*)$", RegexOptions.Multiline))
            foreach (Match word in Regex.Matches(line.Groups[1].Value.Split(new[] { "//" }, StringSplitOptions.None)[0], @"[A-Za-z_]\w*"))
                if (word.Value != "true" && word.Value != "false")
                    symbols.Add(word.Value);
        return symbols.OrderBy(s => s, StringComparer.Ordinal).ToArray();
    }

    // Run parses with these symbols; false if that is no program.
    bool Run(string[] symbols)
    {
        var options = new CSharpParseOptions(LanguageVersion.Preview, DocumentationMode.None, SourceCodeKind.Regular, symbols);
        var root = CSharpSyntaxTree.ParseText(text, options).GetRoot();
        // CS1029 is an #error that the author wrote.
        if (root.GetDiagnostics().Any(d => d.Severity == DiagnosticSeverity.Error && d.Id != "CS1029"))
            return false;
        var hidden = root.DescendantTrivia(null, true).Where(t => t.IsKind(SyntaxKind.DisabledTextTrivia)).Select(t => t.Span).ToList();
        unseen = unseen == null ? hidden
            : unseen.SelectMany(u => hidden.Select(h => u.Intersection(h))).Where(s => s.HasValue && s.Value.Length > 0).Select(s => s.Value).ToList();
        Visit(root);
        return true;
    }

    void Add(string kind, string name, TextSpan span)
    {
        found.Add(Tuple.Create(kind, name, span.Start, span.End));
    }

    // Add notes a declaration and goes on within it.
    void Add(string kind, string name, SyntaxNode node)
    {
        Add(kind, name, node.Span);
        DefaultVisit(node);
    }

    public override void VisitMethodDeclaration(MethodDeclarationSyntax d) { Add("method", d.Identifier.ValueText, d); }
    public override void VisitLocalFunctionStatement(LocalFunctionStatementSyntax d) { Add("function", d.Identifier.ValueText, d); }
    public override void VisitConstructorDeclaration(ConstructorDeclarationSyntax d) { Add("initializer", d.Identifier.ValueText, d); }
    public override void VisitDestructorDeclaration(DestructorDeclarationSyntax d) { Add("deinitializer", d.Identifier.ValueText, d); }
    public override void VisitOperatorDeclaration(OperatorDeclarationSyntax d) { Add("operator", d.OperatorToken.ValueText, d); }
    public override void VisitConversionOperatorDeclaration(ConversionOperatorDeclarationSyntax d) { Add("operator", d.Type.ToString(), d); }
    public override void VisitIndexerDeclaration(IndexerDeclarationSyntax d) { Add("subscript", "this", d); }
    public override void VisitClassDeclaration(ClassDeclarationSyntax d) { Add("type", d.Identifier.ValueText, d); }
    public override void VisitStructDeclaration(StructDeclarationSyntax d) { Add("type", d.Identifier.ValueText, d); }
    public override void VisitRecordDeclaration(RecordDeclarationSyntax d) { Add("type", d.Identifier.ValueText, d); }
    public override void VisitInterfaceDeclaration(InterfaceDeclarationSyntax d) { Add("type", d.Identifier.ValueText, d); }
    public override void VisitEnumDeclaration(EnumDeclarationSyntax d) { Add("type", d.Identifier.ValueText, d); }
    public override void VisitDelegateDeclaration(DelegateDeclarationSyntax d) { Add("type", d.Identifier.ValueText, d); }

    public override void VisitAccessorDeclaration(AccessorDeclarationSyntax d)
    {
        if (d.Body != null || d.ExpressionBody != null)
            Add("accessor", d.Keyword.ValueText, d.Span);
        DefaultVisit(d);
    }

    public override void VisitVariableDeclarator(VariableDeclaratorSyntax d)
    {
        Bound(d);
        DefaultVisit(d);
    }

    // Bound is a function bound to a name. A statement's first name has the range
    // from where the statement begins, an only one all of it.
    void Bound(VariableDeclaratorSyntax variable)
    {
        var declaration = variable.Parent as VariableDeclarationSyntax;
        if (declaration == null || variable.Initializer == null || !(variable.Initializer.Value is AnonymousFunctionExpressionSyntax))
            return;
        var statement = declaration.Parent;
        if (!(statement is FieldDeclarationSyntax) && !(statement is LocalDeclarationStatementSyntax))
            return;
        var span = variable.Span;
        if (declaration.Variables.Count == 1)
            span = statement.Span;
        else if (declaration.Variables[0] == variable)
            span = TextSpan.FromBounds(statement.SpanStart, span.End);
        Add("lambda", variable.Identifier.ValueText, span);
    }
}
