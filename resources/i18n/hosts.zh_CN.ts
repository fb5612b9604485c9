<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>HostDetails</name>
    <message>
        <source>no fingerprint yet</source>
        <translation>还没有指纹</translation>
    </message>
    <message>
        <source>none found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>驱动</translation>
    </message>
    <message>
        <source>Container engine</source>
        <translation>容器引擎</translation>
    </message>
    <message>
        <source>Fingerprint</source>
        <translation>指纹</translation>
    </message>
</context>
<context>
    <name>HostDialog</name>
    <message>
        <source>Add host</source>
        <translation>添加主机</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Add a host over SSH</source>
        <translation>通过 SSH 添加主机</translation>
    </message>
    <message>
        <source>Host settings</source>
        <translation>主机设置</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>SSH agent and usual keys</source>
        <translation>SSH 代理和常用密钥</translation>
    </message>
    <message>
        <source>Key file</source>
        <translation>密钥文件</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Choose the key file</source>
        <translation>选择密钥文件</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>How it is called here; empty takes the address.</source>
        <translation>在这里显示的名称；留空则使用地址。</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>地址(&amp;A)</translation>
    </message>
    <message>
        <source>Host name, IP address, or a name from ~/.ssh/config.</source>
        <translation>主机名、IP 地址，或 ~/.ssh/config 中的名称。</translation>
    </message>
    <message>
        <source>P&amp;ort</source>
        <translation>端口(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;User</source>
        <translation>用户(&amp;U)</translation>
    </message>
    <message>
        <source>Empty takes what SSH would take.</source>
        <translation>留空则按 SSH 的规则选取。</translation>
    </message>
    <message>
        <source>&amp;Log in with</source>
        <translation>登录方式(&amp;L)</translation>
    </message>
    <message>
        <source>A password is asked for later.</source>
        <translation>密码在连接时询问。</translation>
    </message>
    <message>
        <source>&amp;Key file</source>
        <translation>密钥文件(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Model folder on the host</source>
        <translation>主机上的模型文件夹(&amp;M)</translation>
    </message>
    <message>
        <source>Where models are looked for first.</source>
        <translation>优先在这里查找模型。</translation>
    </message>
    <message>
        <source>&amp;Container engine socket</source>
        <translation>容器引擎套接字(&amp;C)</translation>
    </message>
    <message>
        <source>Empty finds it by itself.</source>
        <translation>留空则自动查找。</translation>
    </message>
</context>
<context>
    <name>Hosts</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>驱动</translation>
    </message>
    <message>
        <source>GPU memory, GiB</source>
        <translation>显存 GiB</translation>
    </message>
    <message>
        <source>Deployments</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>Last seen</source>
        <translation>最近在线</translation>
    </message>
    <message>
        <source>At most 64 characters, without / : or .json</source>
        <translation>最多 64 个字符，不含 / : 和 .json</translation>
    </message>
    <message>
        <source>Give a host name or an IP address.</source>
        <translation>请填写主机名或 IP 地址。</translation>
    </message>
    <message>
        <source>Give a port from 1 to 65535.</source>
        <translation>请填写 1 到 65535 之间的端口。</translation>
    </message>
    <message>
        <source>Give a user name without blanks.</source>
        <translation>用户名不能含空格。</translation>
    </message>
    <message>
        <source>Choose the private key file.</source>
        <translation>请选择私钥文件。</translation>
    </message>
    <message>
        <source>There is a host of this name already.</source>
        <translation>已有同名主机。</translation>
    </message>
    <message>
        <source>No GPU</source>
        <translation>无 GPU</translation>
    </message>
    <message>
        <source>GPUs unknown</source>
        <translation>GPU 未知</translation>
    </message>
</context>
<context>
    <name>HostsPage</name>
    <message>
        <source>Add over SSH</source>
        <translation>通过 SSH 添加</translation>
    </message>
    <message>
        <source>Add this computer</source>
        <translation>添加本机</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter hosts</source>
        <translation>筛选主机</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Where shall the models run?</source>
        <translation>模型要在哪里运行？</translation>
    </message>
    <message>
        <source>Pitwall installs nothing on a host. It needs SSH, or this computer, and the container engine that is there.</source>
        <translation>Pitwall 不在主机上安装任何东西，只需要 SSH（或本机）和已有的容器引擎。</translation>
    </message>
    <message>
        <source>Try the demo host</source>
        <translation>试用演示主机</translation>
    </message>
    <message>
        <source>Two H200 GPUs from a recording and a simulated engine: try everything at once, without hardware.</source>
        <translation>录制的两块 H200 加一个模拟引擎：无需硬件，马上试用全部功能。</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Use the GPUs, or the processors, of the computer that Pitwall runs on.</source>
        <translation>使用运行 Pitwall 的这台计算机的 GPU 或处理器。</translation>
    </message>
    <message>
        <source>A server with key or password. Its host key is shown before anything else.</source>
        <translation>用密钥或密码登录服务器，连接前会先显示主机密钥。</translation>
    </message>
    <message>
        <source>Remove {host}?</source>
        <translation>移除 {host}？</translation>
    </message>
    <message>
        <source>The host goes off this list, with its fingerprints. What runs on it goes on; nothing there is touched.</source>
        <translation>主机及其指纹将从列表中移除。主机上运行的内容不受影响，不会做任何改动。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>this-computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>{count} on this desk</source>
        <translation>共 {count} 台</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>断开</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Hosts</source>
        <translation>主机</translation>
    </message>
</context>
</TS>
