provider app {
	probe start(int);
	probe stop(nosuch_t *what);
};
BEGIN { }
