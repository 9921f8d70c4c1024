#pragma D option quiet

BEGIN
{
	printf("basename(\"/usr/bin/dtrace\") = %s\n", basename("/usr/bin/dtrace"));
	printf("dirname(\"/usr/bin/dtrace\") = %s\n", dirname("/usr/bin/dtrace"));
	printf("basename(\"/usr/bin/\") = %s\n", basename("/usr/bin/"));
	printf("dirname(\"/usr\") = %s\n", dirname("/usr"));
	printf("dirname(\"usr\") = %s\n", dirname("usr"));
	printf("basename(\"/\") = %s\n", basename("/"));
	exit(0);
}
