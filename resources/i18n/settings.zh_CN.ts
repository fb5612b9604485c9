<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>CorrectionsCard</name>
    <message>
        <source>Corrections of memory estimates</source>
        <translation>显存估算的修正</translation>
    </message>
    <message>
        <source>Each start that became ready is set beside its prediction. Two of a kind correct the next estimate; it says so.</source>
        <translation>每次成功的启动都会与预测对照。同类启动达到两次后，下一次估算会被修正，并注明来源。</translation>
    </message>
    <message>
        <source>Nothing was learned yet.</source>
        <translation>尚未学到任何内容。</translation>
    </message>
    <message>
        <source>Forget all</source>
        <translation>全部清除</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>清除</translation>
    </message>
</context>
<context>
    <name>LookCard</name>
    <message>
        <source>Language and look</source>
        <translation>语言与外观</translation>
    </message>
    <message>
        <source>Language and theme change at once, the size of text at the next start.</source>
        <translation>语言和主题立即生效，文字大小在下次启动时生效。</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>Te&amp;xt size</source>
        <translation>文字大小(&amp;X)</translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation>跟随桌面</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
</context>
<context>
    <name>NetworkCard</name>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Pitwall works without the internet. Images are fetched by the host&apos;s container engine, through its own proxy; a mirror set here is used in the registry&apos;s place.</source>
        <translation>Pitwall 无需互联网即可工作。镜像由主机的容器引擎经它自己的代理拉取；在此设置的镜像地址会代替原仓库。</translation>
    </message>
    <message>
        <source>&amp;Mirrors for images</source>
        <translation>镜像加速地址(&amp;M)</translation>
    </message>
    <message>
        <source>One per line: docker.io = mirror.example:5000. In force from the next fetch.</source>
        <translation>每行一个：docker.io = mirror.example:5000。从下次拉取起生效。</translation>
    </message>
    <message>
        <source>&amp;Proxy</source>
        <translation>代理(&amp;P)</translation>
    </message>
    <message>
        <source>For what this computer asks of the internet: http://HOST:PORT. Empty: as the environment says. Hosts are reached as the SSH configuration says.</source>
        <translation>用于本机访问互联网：http://主机:端口。留空则按环境变量。连接主机仍按 SSH 配置。</translation>
    </message>
    <message>
        <source>Look for &amp;updates when Pitwall starts</source>
        <translation>启动时检查更新(&amp;U)</translation>
    </message>
    <message>
        <source>Look now</source>
        <translation>立即检查</translation>
    </message>
</context>
<context>
    <name>OwnFilesCard</name>
    <message>
        <source>None: everything comes from what was shipped. A TOML file in this folder, named and laid out as in Pitwall&apos;s resources, adds to it or changes it at the next start.</source>
        <translation>无：全部使用随附数据。在该文件夹中按 Pitwall 资源的名称和结构放置 TOML 文件，下次启动时即可补充或修改。</translation>
    </message>
    <message>
        <source>These files of yours are in force since the start. Take one away and start again to have what was shipped.</source>
        <translation>以下自定义文件自启动起生效。移走文件并重新启动即可恢复随附数据。</translation>
    </message>
    <message>
        <source>Your own data files</source>
        <translation>自定义数据文件</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Passwords and the keyring</source>
        <translation>密码与密钥环</translation>
    </message>
    <message>
        <source>Mirrors for images</source>
        <translation>镜像加速地址</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Look for updates</source>
        <translation>检查更新</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Your own data files</source>
        <translation>自定义数据文件</translation>
    </message>
    <message>
        <source>Arrangement of the window</source>
        <translation>窗口布局</translation>
    </message>
    <message>
        <source>Asking …</source>
        <translation>正在查询…</translation>
    </message>
    <message>
        <source>Version {newest} is out; this is {current}.</source>
        <translation>已有新版本 {newest}，当前为 {current}。</translation>
    </message>
    <message>
        <source>This is the newest version: {current}.</source>
        <translation>已是最新版本：{current}。</translation>
    </message>
    <message>
        <source>The package index did not answer. Nothing else needs it.</source>
        <translation>软件包索引没有响应。除此之外没有功能需要它。</translation>
    </message>
    <message>
        <source>“{value}” is not REGISTRY = MIRROR.</source>
        <translation>“{value}”不符合“仓库 = 镜像地址”的写法。</translation>
    </message>
    <message>
        <source>A proxy is written as http://HOST:PORT. One that asks for a login goes into HTTPS_PROXY of the environment.</source>
        <translation>代理写作 http://主机:端口。需要登录的代理请放在环境变量 HTTPS_PROXY 中。</translation>
    </message>
    <message>
        <source>changes shipped data</source>
        <translation>修改随附数据</translation>
    </message>
    <message>
        <source>adds data</source>
        <translation>新增数据</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <translation>CUDA 图</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV cache</translation>
    </message>
    <message>
        <source>Needs another start before it is used</source>
        <translation>再有一次启动后才会使用</translation>
    </message>
    <message>
        <source>starts: {count}</source>
        <translation>启动次数：{count}</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Back to the defaults</source>
        <translation>恢复默认设置</translation>
    </message>
    <message>
        <source>Reset the arrangement</source>
        <translation>重置布局</translation>
    </message>
    <message>
        <source>Widths and order of tables, splitters, tabs and filters, as at the first start</source>
        <translation>表格列宽与顺序、分隔条、标签页和筛选恢复到首次启动时的状态</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Nothing secret lies in these folders.</source>
        <translation>这些文件夹里没有任何机密。</translation>
    </message>
    <message>
        <source>Settings and accepted host keys</source>
        <translation>设置和已接受的主机密钥</translation>
    </message>
    <message>
        <source>Hosts, fingerprints, saved profiles</source>
        <translation>主机、指纹和已保存的配置</translation>
    </message>
    <message>
        <source>What can be made again</source>
        <translation>可重新生成的内容</translation>
    </message>
    <message>
        <source>Your own data files</source>
        <translation>自定义数据文件</translation>
    </message>
    <message>
        <source>Open folder: {name}</source>
        <translation>打开文件夹：{name}</translation>
    </message>
    <message>
        <source>Every setting has its default again.</source>
        <translation>所有设置已恢复默认。</translation>
    </message>
    <message>
        <source>Every setting has its default already.</source>
        <translation>所有设置本来就是默认值。</translation>
    </message>
    <message>
        <source>The arrangement is as at the first start.</source>
        <translation>布局已恢复到首次启动时的状态。</translation>
    </message>
    <message>
        <source>No program here opens folders; the path is copied: {path}</source>
        <translation>这里没有能打开文件夹的程序；路径已复制：{path}</translation>
    </message>
</context>
</TS>
