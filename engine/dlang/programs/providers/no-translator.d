struct one { int n; };
struct other { int n; };
provider app {
	probe start(struct one *it) : (struct other *it);
};
BEGIN { }
