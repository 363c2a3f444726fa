"""Between the web server and Django: how bodies arrive, which thread handles a request, how the answer leaves."""
