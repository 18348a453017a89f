(comment) @comment

(document (pair . (_) @name) @property)
(table . (_) @name) @object
(table . (_) @name . (pair) @body) @object
(table_array_element . (_) @name) @object
(table_array_element . (_) @name . (pair) @body) @object
(table (pair . (_) @name) @property)
(table_array_element (pair . (_) @name) @property)
