(document (object (pair key: (string (string_content) @name)) @property))
(document (object (pair value: (object (pair key: (string (string_content) @name)) @property))))
(document (object (pair key: (string (string_content) @name) value: (object) @body) @object))
(document (object (pair value: (object (pair key: (string (string_content) @name) value: (object) @body) @object))))
