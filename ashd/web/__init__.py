"""`ash web`: a page in the browser to see and mend what an agent knows.

A separate process and a client of the control socket: it holds nothing of the store and shows
nothing that the same call on that socket would not.

Each page is a module of `pages` that exports `ROUTES`, a list made with `routes.get` and
`routes.post`; it calls the daemon through its `Viewer`, answers with `rendering.render` or
`rendering.redirect_after`, and its template extends `layout.html`, which imports the macros. No
text that a person or an agent wrote goes into a URL: `Session.keep` returns a key for it.
"""
