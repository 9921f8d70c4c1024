#pragma D option quiet

BEGIN
{
	this->address = (uint32_t *)alloca(20);
	this->address[0] = htonl(0xfe800000);
	this->address[2] = htonl(0x02144fff);
	this->address[3] = htonl(0xfe0b0001);
	this->address[4] = htonl(0x00017fff);
	printf("%s\n", inet_ntoa(this->address));
	printf("%s\n", inet_ntoa6(this->address));
	printf("%s\n", inet_ntop(AF_INET, this->address));
	printf("%s\n", inet_ntop(AF_INET6, this->address));
	printf("%s\n", link_ntop(ARPHRD_ETHER, this->address));
	printf("%s\n", link_ntop(ARPHRD_INFINIBAND, this->address));

	this->address[0] = 0;
	this->address[2] = htonl(0xffff);
	this->address[3] = htonl(0x7f000001);
	printf("%s\n", inet_ntoa6(this->address));
	exit(0);
}
