;;; -*- lexical-binding: t -*-
;; What the adapter asks Emacs.  It is loaded by its server, once, and every name begins with the prefix below, which the adapter
;; makes one of its own for each version of this file.  A question is answered with JSON on the connection that it came by.

(require 'cl-lib)
(require 'server)

(define-error 'dougu--fault "What a question is refused with" 'error)

(defun dougu--fail (fault format-string &rest args)
  (signal 'dougu--fault (list fault (apply #'format format-string args))))

(defun dougu--refuse (&rest _)
  (dougu--fail "error" "it would have to ask its user something"))

(defun dougu--bool (value) (if value t :false))

;; Emacs < 28 has no `inhibit-interaction'.
(defun dougu--without-questions (function)
  (if (boundp 'inhibit-interaction)
      (cl-progv '(inhibit-interaction) '(t) (funcall function))
    (cl-letf (((symbol-function 'read-from-minibuffer) #'dougu--refuse)
              ((symbol-function 'y-or-n-p) #'dougu--refuse)
              ((symbol-function 'yes-or-no-p) #'dougu--refuse)
              ((symbol-function 'read-char-choice) #'dougu--refuse)
              ((symbol-function 'ask-user-about-lock) #'dougu--refuse)
              ((symbol-function 'ask-user-about-supersession-threat) #'dougu--refuse))
      (funcall function))))

(defun dougu--client (id)
  "The connection that a question came by."
  (cl-find-if (lambda (client) (member (concat "DOUGU=" id) (process-get client 'env))) server-clients))

(defun dougu--send (client answer)
  (process-send-string client (concat "-dougu " (json-serialize answer :false-object :false :null-object nil) "\n")))

(defvar dougu--asker nil
  "The connection of the question that is being answered.")

(defun dougu--call (id deadline question args)
  "Answer QUESTION with ARGS, in JSON, if it is not later than DEADLINE in milliseconds."
  (let* ((client (dougu--client id))
        (debug-on-error nil) (debug-on-signal nil) (debug-on-quit nil)
        (inhibit-message t)
        (dougu--asker client)
        answer)
    (unless client
      (error "The connection of the question is not known"))
    (setq answer
          (condition-case err
              (progn
                (when (> (* 1000 (float-time)) deadline)
                  (dougu--fail "late" "Emacs was busy for too long, and has not done it"))
                (list :value
                      (dougu--without-questions
                       (lambda ()
                         (funcall (intern (concat "dougu--ask-" question))
                                  (json-parse-string args :object-type 'plist :array-type 'list
                                                     :null-object nil :false-object nil))))))
            (dougu--fault (list :fault (nth 1 err) :message (nth 2 err)))
            ((inhibited-interaction)
             (list :fault "error" :message "it would have to ask its user something"))
            (quit (list :fault "error" :message "its user has interrupted it"))
            (error (list :fault "error" :message (error-message-string err)))))
    (condition-case err
        (unless (eq (plist-get answer :value) 'later)
          (dougu--send client answer))
      (error
       (dougu--send client (list :fault "unsupported"
                                 :message (concat "what it has cannot be told: " (error-message-string err))))))
    nil))

;;; Columns

(defun dougu--units (from to)
  "How many UTF-16 code units the characters between two positions are."
  (let ((n (- to from)))
    (save-excursion
      (goto-char from)
      (while (re-search-forward "[^\x00-\xffff]" to t)
        (setq n (1+ n))))
    n))

(defun dougu--forward (units)
  "Go forward so many UTF-16 code units, at most to the end of the line."
  (while (and (> units 0) (not (eolp)))
    (setq units (- units (if (> (char-after) #xffff) 2 1)))
    (when (>= units 0)
      (forward-char))))

(defun dougu--spot (position)
  "The row and the column of a position, from 0; the buffer is widened."
  (save-excursion
    (goto-char position)
    (vector (1- (line-number-at-pos position t)) (dougu--units (line-beginning-position) position))))

(defun dougu--goto (row column)
  (goto-char (point-min))
  (forward-line row)
  (dougu--forward column))

;;; Documents

(defconst dougu--max-text (* 32 1024 1024))

(defun dougu--base (buffer)
  (or (buffer-base-buffer buffer) buffer))

(defun dougu--find (path)
  (let ((buffer (find-buffer-visiting path)))
    (and buffer (dougu--base buffer))))

(defmacro dougu--in (buffer &rest body)
  (declare (indent 1))
  `(with-current-buffer ,buffer
     (save-excursion
       (save-restriction
         (widen)
         ,@body))))

(defun dougu--ending ()
  (pcase (coding-system-eol-type (or buffer-file-coding-system 'undecided))
    (1 "\r\n")
    (2 "\r")
    (_ "\n")))

(defun dougu--refresh (buffer)
  "Read a buffer without changes again if its file has changed."
  (with-current-buffer buffer
    (when (and buffer-file-name
               (not (buffer-modified-p))
               (not (verify-visited-file-modtime))
               (file-readable-p buffer-file-name))
      (let ((enable-local-variables nil) (enable-local-eval nil) (enable-dir-local-variables nil))
        (revert-buffer t t t)))))

(defun dougu--document (buffer)
  (dougu--in buffer
    (when (> (buffer-size) dougu--max-text)
      (dougu--fail "unsupported" "the document is too long"))
    (list :buffer (buffer-name)
          :tick (buffer-chars-modified-tick)
          :text (buffer-substring-no-properties (point-min) (point-max))
          :ending (dougu--ending)
          :dirty (dougu--bool (buffer-modified-p))
          :editable (dougu--bool (not buffer-read-only))
          :mode (symbol-name major-mode)
          :tab (if (and (boundp 'standard-indent) (integerp standard-indent)) standard-indent tab-width)
          :spaces (dougu--bool (not indent-tabs-mode)))))

(defun dougu--ask-document (args)
  (let ((buffer (dougu--find (plist-get args :path))))
    (if (not buffer)
        '(:buffer "")
      (dougu--refresh buffer)
      (append (dougu--document buffer)
              (when (plist-get args :provider)
                (list :servers (with-current-buffer buffer (dougu--servers (plist-get args :provider)))))))))

(defun dougu--ask-unsaved (_)
  "The files whose buffers have changes that are not on the disk."
  (let (paths)
    (dolist (buffer (buffer-list))
      (when (and (buffer-file-name buffer) (buffer-modified-p buffer) (not (buffer-base-buffer buffer)) (< (length paths) 1000))
        (push (file-truename (buffer-file-name buffer)) paths)))
    (list :paths (vconcat paths))))

(defun dougu--check-encoding (parts)
  "Refuse characters that the encoding of the file lacks: they would become others when it is written."
  (let ((coding buffer-file-coding-system))
    (when (and coding (not (memq (coding-system-base coding) '(undecided no-conversion raw-text))))
      (dolist (part parts)
        (when (unencodable-char-position 0 (length (plist-get part :text)) coding nil (plist-get part :text))
          (dougu--fail "error" "the encoding of the file, %s, lacks some of the characters" coding))))))

(defun dougu--end-step ()
  (undo-boundary)
  ;; What is typed next is not put into the same step.
  (when (boundp 'undo-auto--last-boundary-cause)
    (setq undo-auto--last-boundary-cause 'explicit)))

(defun dougu--ask-edit (args)
  (let ((buffer (get-buffer (plist-get args :buffer)))
        (parts (plist-get args :parts))
        (save (plist-get args :save))
        trouble)
    (unless (and buffer (eq buffer (dougu--find (plist-get args :path))))
      (dougu--fail "stale" "the buffer is not there any more"))
    (with-current-buffer buffer
      (unless (= (buffer-chars-modified-tick) (plist-get args :tick))
        (dougu--fail "stale" "it has changed meanwhile"))
      (when (and save (file-exists-p buffer-file-name) (not (verify-visited-file-modtime)))
        (dougu--fail "stale" "the file has changed on the disk"))
      (when buffer-read-only
        (dougu--fail "error" "the buffer is read-only"))
      (when save
        (dougu--check-encoding parts)))
    (dougu--in buffer
      (undo-boundary)
      (atomic-change-group
        (dolist (part (reverse parts))
          (let ((start (+ (point-min) (plist-get part :start)))
                (end (+ (point-min) (plist-get part :end))))
            (unless (<= start end (point-max))
              (dougu--fail "stale" "an edit is behind the end of the buffer"))
            (goto-char start)
            ;; In this order markers at the end stay behind what is new.
            (insert (plist-get part :text))
            (delete-region (point) (+ (point) (- end start))))))
      (dougu--end-step))
    (when save
      (with-current-buffer buffer
        (let ((require-final-newline nil) (mode-require-final-newline nil)
              (save-silently t))
          (condition-case err
              (save-buffer)
            (dougu--fault (setq trouble (nth 2 err)))
            (error (setq trouble (error-message-string err)))))))
    (unless (buffer-live-p buffer)
      (dougu--fail "error" "the buffer has been closed by what happens when it is written"))
    (append (dougu--document buffer) (and trouble (list :trouble trouble)))))

;;; Windows

(defun dougu--frame ()
  "The frame that the user has used last, or nil."
  (let ((usable (lambda (frame)
                  (and (frame-live-p frame)
                       (not (and (daemonp) (eq frame terminal-frame)))
                       (eq (frame-visible-p frame) t)
                       (not (frame-parameter frame 'parent-frame))))))
    (if (funcall usable (selected-frame))
        (selected-frame)
      (cl-find-if usable (frame-list)))))

(defun dougu--file-of (window)
  (buffer-file-name (dougu--base (window-buffer window))))

(defun dougu--typing-p (window)
  "Whether a window shows a program that its user types to, such as a shell."
  (let ((process (get-buffer-process (window-buffer window))))
    (and process (memq (process-status process) '(run stop open)) (not (dougu--file-of window)))))

(defun dougu--plain-p (window)
  (not (or (window-minibuffer-p window) (window-dedicated-p window) (window-parameter window 'window-side))))

(defun dougu--window-for (buffer frame)
  "A window for BUFFER, and whether the user is to be taken there."
  (let* ((now (frame-selected-window frame))
         (asking (window-minibuffer-p now))
         (before (if asking (or (minibuffer-selected-window) now) now))
         (stay (or asking (dougu--typing-p before)))
         (windows (sort (window-list frame 'nomini)
                        (lambda (a b) (> (window-use-time a) (window-use-time b)))))
         (window
          (or (cl-find-if (lambda (w) (eq (dougu--base (window-buffer w)) buffer)) windows)
              (and (not (dougu--typing-p before)) (dougu--plain-p before) before)
              (cl-find-if (lambda (w) (and (dougu--plain-p w) (not (dougu--typing-p w)))) windows)
              (ignore-errors (with-selected-frame frame (split-window (frame-root-window frame)))))))
    (unless window
      (dougu--fail "error" "no window has room for it"))
    (cons window (not stay))))

(defun dougu--visit (path)
  "The buffer of a file.  Nothing that the file brings with it is run."
  (let ((enable-local-variables nil) (enable-local-eval nil) (enable-dir-local-variables nil)
        (find-file-suppress-same-file-warnings t)
        (vc-follow-symlinks t))
    (find-file-noselect path t)))

(defun dougu--ask-open (args)
  (let ((frame (dougu--frame)) (at (plist-get args :at)))
    (unless frame
      (dougu--fail "unsupported" "it has no window: emacsclient -c or emacsclient -t opens one"))
    (let* ((known (dougu--find (plist-get args :path)))
           (buffer (or known (dougu--visit (plist-get args :path))))
           (found (dougu--window-for buffer frame))
           (window (car found)))
      (when known
        (dougu--refresh buffer))
      (unless (eq (dougu--base (window-buffer window)) buffer)
        (with-selected-window window (push-mark nil t))
        (set-window-buffer window buffer))
      (when at
        (with-selected-window window
          (let ((position (dougu--in (window-buffer window) (dougu--goto (nth 0 at) (nth 1 at)) (point))))
            (unless (<= (point-min) position (point-max))
              (widen))
            (when (/= position (point))
              (push-mark nil t))
            (goto-char position)
            (unless (pos-visible-in-window-p position window)
              (recenter))))
        (set-window-point window (with-current-buffer (window-buffer window) (with-selected-window window (point)))))
      (when (cdr found)
        (select-window window)
        (unless (eq (selected-frame) frame)
          (select-frame frame))))
    t))

(defun dougu--ask-active (_)
  (let* ((frame (dougu--frame))
         (now (and frame (frame-selected-window frame)))
         (window (and frame
                      (cl-find-if #'dougu--file-of
                                  (cons (if (window-minibuffer-p now) (or (minibuffer-selected-window) now) now)
                                        (sort (window-list frame 'nomini)
                                              (lambda (a b) (> (window-use-time a) (window-use-time b)))))))))
    (append
     (list :idle (floor (* 1000 (float-time (or (current-idle-time) 0)))))
     (if (not window)
         '(:open :false)
       (let ((point (window-point window)) (buffer (window-buffer window)))
         (dougu--in buffer
           (let ((mark (and mark-active (mark t))))
             (append
              (list :open t
                    :path (file-truename (buffer-file-name (dougu--base buffer)))
                    :tick (with-current-buffer (dougu--base buffer) (buffer-chars-modified-tick))
                    :dirty (dougu--bool (buffer-modified-p (dougu--base buffer)))
                    :cursor (dougu--spot point))
              (when (and mark (/= mark point))
                (list :start (dougu--spot (min mark point)) :stop (dougu--spot (max mark point))))))))))))

;;; Who answers

(defun dougu--ask-hello (_)
  (list :version emacs-version :pid (emacs-pid)))

(defun dougu--ask-changed (args)
  (dolist (path (plist-get args :paths))
    (let ((buffer (dougu--find path)))
      (when buffer
        (ignore-errors (dougu--refresh buffer)))))
  t)

;;; Diagnostics, as flymake and flycheck have them

(defvar-local dougu--checked nil
  "The tick for which a check was last asked for, and when.")

(defconst dougu--settled 3
  "After so many seconds what a language server says is taken for all that it has to say.")

(defun dougu--severity (type)
  (let ((category (and (symbolp type) (get type 'flymake-category))))
    (cond ((or (memq type '(:error error)) (eq category 'flymake-error)) 1)
          ((or (memq type '(:warning warning)) (eq category 'flymake-warning)) 2)
          (t 3))))

(defun dougu--item (path from to severity message code source)
  (list :path path :start (dougu--spot from) :stop (dougu--spot (max from to)) :severity severity
        :message (or message "") :code (or code "") :source (or source "")))

(defun dougu--flymake-items (path)
  (mapcar (lambda (d)
            (let ((backend (flymake-diagnostic-backend d)))
              (dougu--item path (flymake-diagnostic-beg d) (flymake-diagnostic-end d)
                           (dougu--severity (flymake-diagnostic-type d)) (flymake-diagnostic-text d) nil
                           (if (symbolp backend) (symbol-name backend) "flymake"))))
          (flymake-diagnostics)))

(defun dougu--flycheck-items (path)
  (mapcar (lambda (e)
            (let* ((region (flycheck-error-region-for-mode e 'symbols))
                   (id (flycheck-error-id e)))
              (dougu--item path (or (car region) (point-min)) (or (cdr region) (point-min))
                           (dougu--severity (flycheck-error-level e)) (flycheck-error-message e)
                           (and id (format "%s" id)) (format "%s" (flycheck-error-checker e)))))
          flycheck-current-errors))

(defun dougu--check ()
  "Have the buffer checked if nobody has since it changed, and tell whether all is known."
  (let ((new (not (equal (car dougu--checked) (buffer-chars-modified-tick)))))
    (when new
      (setq dougu--checked (cons (buffer-chars-modified-tick) (float-time))))
    (cond ((bound-and-true-p flycheck-mode)
           (when new (flycheck-buffer))
           (not (memq flycheck-last-status-change '(running interrupted))))
          ((and (fboundp 'eglot-managed-p) (eglot-managed-p))
           ;; It shows what it has, which may be of another text.
           (> (- (float-time) (cdr dougu--checked)) dougu--settled))
          (t
           (when new (flymake-start))
           (null (cl-set-difference (flymake-running-backends) (flymake-reporting-backends)))))))

(defun dougu--checks-p (buffer)
  (with-current-buffer buffer
    (or (bound-and-true-p flycheck-mode)
        (and (bound-and-true-p flymake-mode) (flymake-running-backends)))))

(defun dougu--ask-diagnostics (args)
  (let ((paths (plist-get args :paths)) (most (plist-get args :max)) (fresh t) (n 0) more items covered)
    (unless paths
      (dolist (buffer (buffer-list))
        (when (and (buffer-file-name buffer) (dougu--checks-p buffer))
          (push (file-truename (buffer-file-name buffer)) paths))))
    (dolist (path paths)
      (let ((buffer (dougu--find path)))
        (when (and buffer (dougu--checks-p buffer))
          (push path covered)
          (dougu--in buffer
            (unless (dougu--check) (setq fresh nil))
            (dolist (item (if (bound-and-true-p flycheck-mode) (dougu--flycheck-items path) (dougu--flymake-items path)))
              (if (>= n most)
                  (setq more t)
                (setq n (1+ n))
                (push item items)))))))
    (list :items (vconcat (nreverse items)) :covered (vconcat covered) :fresh (dougu--bool fresh) :more (dougu--bool more))))

;;; Language servers, by eglot

(defun dougu--capable (capability)
  "Whether the server of the buffer has a capability."
  (cond ((fboundp 'eglot-server-capable) (eglot-server-capable capability))
        ((fboundp 'eglot--server-capable) (eglot--server-capable capability))))

(defun dougu--server (server)
  (list :id 1 :name (jsonrpc-name server)
        :encoding (or (and (fboundp 'eglot--capabilities) (plist-get (eglot--capabilities server) :positionEncoding)) "utf-16")))

(defun dougu--servers (provider)
  "The server of the buffer, if eglot manages it and it provides something."
  (if (and (fboundp 'eglot-managed-p) (eglot-managed-p) (eglot-current-server)
           (dougu--capable (intern (concat ":" provider))))
      (vector (dougu--server (eglot-current-server)))
    []))

(defun dougu--all-servers (provider)
  "A buffer of each server that provides something, with the server."
  (let (all)
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer
        (when (and (buffer-file-name) (> (length (dougu--servers provider)) 0))
          (let ((server (eglot-current-server)))
            (unless (rassq server all)
              (push (cons buffer server) all))))))
    all))

(defun dougu--ask-servers (args)
  (vconcat (mapcar (lambda (one) (dougu--server (cdr one))) (dougu--all-servers (plist-get args :provider)))))

(defun dougu--ask-request (args)
  "Ask a language server.  Nobody waits for it here; what it answers is sent when it comes."
  (let* ((path (plist-get args :path))
         (buffer (if path (dougu--find path)
                   (car (cl-find-if (lambda (one) (equal (jsonrpc-name (cdr one)) (plist-get args :server)))
                                    (dougu--all-servers (plist-get args :provider))))))
         (client dougu--asker)
         (most (plist-get args :max))
         (tell (lambda (text)
                 (when (process-live-p client)
                   (process-send-string client (concat "-dougu " text "\n")))))
         (refuse (lambda (message)
                   (funcall tell (json-serialize (list :fault "refused" :message (or message "it does not say why")))))))
    (unless (and buffer (with-current-buffer buffer (and (fboundp 'eglot-managed-p) (eglot-managed-p))))
      (dougu--fail "unsupported" "the language server has ended"))
    (with-current-buffer buffer
      (when (and path (/= (buffer-chars-modified-tick) (plist-get args :tick)))
        (dougu--fail "stale" "it has changed meanwhile"))
      (when (fboundp 'eglot--signal-textDocument/didChange)
        (eglot--signal-textDocument/didChange)) ; else it waits until its user does nothing
      (jsonrpc-async-request
       (eglot-current-server) (intern (concat ":" (plist-get args :method)))
       (json-parse-string (plist-get args :params) :object-type 'plist :array-type 'array :null-object nil :false-object :json-false)
       :success-fn (lambda (result)
                     (condition-case err
                         (let ((text (json-serialize result :null-object nil :false-object :json-false)))
                           (if (> (length text) most)
                               (funcall refuse "its answer is too long")
                             (funcall tell (concat "{\"value\":" text "}"))))
                       (error (funcall refuse (error-message-string err)))))
       :error-fn (lambda (err)
                   (funcall refuse (plist-get err :message)))
       :timeout 60
       :timeout-fn (lambda () (funcall refuse "it has not answered in time"))))
    'later))
