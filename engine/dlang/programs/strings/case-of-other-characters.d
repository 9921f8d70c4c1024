#pragma D option quiet

BEGIN
{
	printf("%s %s\n", toupper("az09_[`{"), tolower("AZ09_[@{"));
	exit(0);
}
