#pragma D option quiet

/* A declaration alone changes nothing. */
provider app {
	probe start();
	probe stop(void);
	probe go__on(int, char *name);
	probe named(string name) : (string name);
};

provider empty { };

BEGIN
{
	printf("done\n");
	exit(0);
}
