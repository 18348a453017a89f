# Prints the declarations that Ruby itself finds, as JSON lines: those of the
# syntax tree of the interpreter that runs this.
require 'json'

class Reading
  FUNCTIONS = %i[lambda proc].freeze
  TYPES = { Struct: :new, Class: :new, Module: :new, Data: :define }.freeze
  DEFINING = %i[define_method define_singleton_method alias_method].freeze

  def initialize(file)
    @file = file
    visit(RubyVM::AbstractSyntaxTree.parse_file(file))
  end

  def visit(node)
    return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)

    case node.type
    when :DEFN then found('method', node.children[0], node)
    when :DEFS then found('method', node.children[1], node)
    when :CLASS, :MODULE then found('type', name(node.children[0]), node)
    when :ALIAS then found('method', literal(node.children[0]), node)
    when :LASGN, :DASGN, :DASGN_CURR, :IASGN, :GASGN, :CVASGN, :CDECL then assigned(node)
    when :OP_ASGN_OR, :OP_ASGN_AND then return assigned_if(node)
    when :ITER
      call = node.children[0]
      if defining(call)
        found('method', defining(call), node)
        return [*arguments(call), node.children[1]].each { |child| visit(child) }
      end
    when :FCALL
      found('method', defining(node), node) if defining(node)
      return found('method', only_definition(node), node, true) if only_definition(node)
    end
    node.children.each { |child| visit(child) }
  end

  # A definition that is the only argument of a call (private def x) begins with
  # the call.
  def only_definition(call)
    first, *others = arguments(call)
    first if others.empty? && first && %i[DEFN DEFS].include?(first.type)
  end

  def arguments(call)
    list = call.children[1]
    list = list.children[0] if list.is_a?(RubyVM::AbstractSyntaxTree::Node) && list.type == :BLOCK_PASS
    list.is_a?(RubyVM::AbstractSyntaxTree::Node) && list.type == :LIST ? list.children.compact : []
  end

  def defining(call)
    return unless call.type == :FCALL && DEFINING.include?(call.children[0])

    literal(arguments(call).first)
  end

  def literal(node)
    return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node) && %i[LIT STR].include?(node.type)

    value = node.children[0]
    value.to_s if value.is_a?(Symbol) || value.is_a?(String)
  end

  def assigned(node)
    left, *, value = node.children
    kind = kind_of(value, node.type == :CDECL)
    found(kind, name(left), node) if kind
  end

  # x ||= lambda { … } is one declaration, with the range of the whole.
  def assigned_if(node)
    assignment = node.children.last
    return visit(assignment) unless assignment.is_a?(RubyVM::AbstractSyntaxTree::Node)

    value = assignment.children.last
    kind = kind_of(value, assignment.type == :CDECL)
    found(kind, name(assignment.children[0]), node) if kind
    visit(value)
  end

  # What an assigned value declares: a function, a type (to a constant), nothing.
  def kind_of(value, constant)
    return unless value.is_a?(RubyVM::AbstractSyntaxTree::Node)
    return 'lambda' if value.type == :LAMBDA

    block = value.type == :ITER
    call = block ? value.children[0] : value
    return 'lambda' if block && call.type == :FCALL && FUNCTIONS.include?(call.children[0])
    return unless call.type == :CALL && call.children[0].type == :CONST

    receiver, method = call.children[0].children[0], call.children[1]
    return 'lambda' if block && receiver == :Proc && method == :new

    'type' if constant && TYPES[receiver] == method
  end

  def name(node)
    return node.to_s unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)

    node.children.map { |child| name(child) }.join
  end

  def found(kind, name, node, inner = false)
    if inner
      definition = name
      name = definition.children[definition.type == :DEFS ? 1 : 0]
      definition.children.each { |child| visit(child) }
    end
    puts JSON.generate(file: @file, kind: kind, name: name.to_s, start: node.first_lineno, end: node.last_lineno)
  end
end

$stdin.each_line(chomp: true) do |file|
  next if file.empty?

  begin
    Reading.new(file)
  rescue SyntaxError
    puts JSON.generate(file: file, error: true)
  end
end
