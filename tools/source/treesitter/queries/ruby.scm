(comment) @comment

(call !receiver method: (identifier) arguments: (argument_list (string))) @import

(module name: (_) @name body: (_)? @body) @module
(class name: (_) @name body: (_)? @body) @class

(method name: (_) @name body: (_)? @body) @method
(method name: (_) @name "=" @body) @method
(singleton_method name: (_) @name body: (_)? @body) @method
(singleton_method name: (_) @name "=" @body) @method

; What belongs to no class or module.
(program (method name: (_) @name body: (_)? @body) @function)
(program (method name: (_) @name "=" @body) @function)
(program (singleton_method object: (constant) @container name: (_) @name body: (_)? @body) @method)

; private def x
(call !receiver method: (identifier) arguments: (argument_list . (method name: (_) @name body: (_)? @body) @method .)) @outer
(call !receiver method: (identifier) arguments: (argument_list . (method name: (_) @name "=" @body) @method .)) @outer
(call !receiver method: (identifier) arguments: (argument_list . (singleton_method name: (_) @name body: (_)? @body) @method .)) @outer
(call !receiver method: (identifier) arguments: (argument_list . (singleton_method name: (_) @name "=" @body) @method .)) @outer
(program (call !receiver method: (identifier) arguments: (argument_list . (method name: (_) @name body: (_)? @body) @function .)) @outer)

(alias name: [(identifier) (constant) (setter) (operator) (simple_symbol)] @name) @method
(program (alias name: [(identifier) (constant) (setter) (operator) (simple_symbol)] @name) @function)

; define_method(:x) { … }, alias_method :x, :y; which of all calls these are, rubyChunk says.
(call !receiver method: (identifier) arguments: (argument_list . [(simple_symbol) (string)] @name) block: (_)? @body) @method

; attr_accessor :x, :y; likewise.
(call !receiver method: (identifier) arguments: (argument_list (simple_symbol) @name @property)) @outer

(assignment left: [(constant) (scope_resolution)] @name) @constant
(operator_assignment left: [(constant) (scope_resolution)] @name) @constant
(assignment left: (left_assignment_list (constant) @name @constant)) @outer
(body_statement (assignment left: (class_variable) @name) @variable)
(program (assignment left: (global_variable) @name) @variable)

; Point = Struct.new(:x, :y) do … end; rubyChunk leaves constants of the others.
(assignment left: [(constant) (scope_resolution)] @name right: (call receiver: (constant) method: (identifier) block: (_)? @body)) @class

; f = lambda { … }; likewise.
(assignment
  left: [(identifier) (constant) (scope_resolution) (instance_variable) (class_variable) (global_variable)] @name
  right: (call !receiver method: (identifier) block: (_) @body)) @lambda
(operator_assignment
  left: [(identifier) (constant) (instance_variable) (class_variable) (global_variable)] @name
  right: (call !receiver method: (identifier) block: (_) @body)) @lambda
(assignment
  left: [(identifier) (instance_variable) (class_variable) (global_variable)] @name
  right: (call receiver: (constant) method: (identifier) block: (_) @body)) @lambda
(assignment
  left: [(identifier) (constant) (scope_resolution) (instance_variable) (class_variable) (global_variable)] @name
  right: (lambda body: (_) @body)) @lambda
(operator_assignment
  left: [(identifier) (constant) (instance_variable) (class_variable) (global_variable)] @name
  right: (lambda body: (_) @body)) @lambda

(call method: [(identifier) (constant)] @call)
