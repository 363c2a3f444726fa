"""Between the web server and Django: how bodies arrive, which thread works on a request, how the answer leaves."""
