provider app {
	probe start();
	probe start(int);
};
BEGIN { }
